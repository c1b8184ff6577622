internal import EventModel
package import Simulation

extension Truth {
  /// Returns the page that describes a sample, in Markdown.
  ///
  /// - Parameters:
  ///   - directory: The directory of the event files, as the page names it.
  ///   - summary: The summary of the sample with these options.
  package func markdown(of options: SampleOptions, directory: String, summary: SampleSummary) -> String {
    var page = """
      # Sample data

      \(thousands(summary.events)) simulated events of \(thousands(summary.persons)) users and \
      \(options.apps.count) apps over \(options.days) days from \(options.firstDay), in \(summary.files) files. \
      No user is real. The tables below list the rates that the simulator uses. Reports should find them again, within \
      chance.

      ```
      \(options.command(output: directory))
      ```

      This command writes the same lines on every machine, with any number of threads. With libzstd 1.5.4, it also writes \
      the same bytes. A test compares this page with the simulator (`Truth` in `Sources/Simulation`).

      `SampleData/rates.csv` has made-up exchange rates of EUR, GBP and JPY for `tollgate rates import`: one a day for 120 \
      days from 2026-01-01. With these rates, reports show all amounts in one currency.

      ## The four experiments

      Half of the users are in each arm, by a hash of app and user. An `exposure` event marks the assignment. Not every \
      exposed user sees a paywall.

      | app | experiment | treatment | true result | effect on control's rates |
      |---|---|---|---|---|

      """
    let apps = apps.filter { options.apps.contains($0.name) }
    for app in apps {
      let experiment = app.experiment
      page += "| \(app.title) | `\(experiment.name)` | `\(experiment.treatmentName)` "
      page += "| \(experiment.verdict.sentence) | \(experiment.effect.list) |\n"
    }
    page += "\n"
    for app in apps { page += "- `\(app.experiment.name)`: \(app.experiment.reason)\n" }
    page += """

      By arm, the share of exposed users (rule 8.2) who start an introductory trial within 7 days, buy within \
      14 days, cancel a trial within 14 days, and are refunded within 30 days. `trial_to_paid` is the share of trials \
      that convert, `yearly share` the share of purchases that are yearly plans.

      | experiment | variant | trial_start | paid | trial_to_paid | trial_cancelled | refunded | yearly share |
      |---|---|---:|---:|---:|---:|---:|---:|

      """
    for app in apps {
      for variant in app.experiment.variants {
        let rates = app.exposureRates(variant: variant)
        page += row(
          ["`\(app.experiment.name)`", "`\(variant)`"]
            + [
              rates.trialStart, rates.paid, rates.trialToPaid, rates.trialCancelled, rates.refunded, rates.yearlyShare,
            ].map(percent))
      }
    }
    for app in apps { page += app.section }
    page += Self.notes
    return page
  }

  private static let notes = """

    ## How users behave

    - Users arrive on all days, more of them on weekends and in the evening (UTC). Each uses one app.
    - Within 3.5 days of the first paywall, the user starts a trial, buys, or does neither. They buy at the entry point \
    of that paywall. In Coach, most users who saw another paywall first buy at the gate.
    - Coach's trials start at the entry point `onboarding`. In `trials`, those of an arm convert at its `trial_to_paid` \
    above.
    - Of the users who do neither, 12% see a paywall again 32 to 60 days later, after the windows of the funnel and the \
    experiments. Those who pay then are `paid_later_users`.
    - Introductory trials are cancelled at the stated rate. Of the others, some fail in billing, and the rest pay at the \
    trial's end or, in grace, up to 2.9 days later.
    - Each period of a subscription ends in a refund, a cancellation, failed billing, an upgrade or a renewal. Some \
    subscriptions that ended without a refund come back 5 to 25 days later.
    - The data also have subscribers from before the first day (their first payment is a renewal), purchases on the \
    store's page (`(unattributed)`), test devices (`sandbox`), family members (`family_shared`), redeemed offer codes \
    (some are grants), restores, users with two ids (`identify`), and events that arrived days late.

    """
}

extension ExperimentTruth.Verdict {
  fileprivate var sentence: String {
    switch self {
    case .winner: "**winner**: more users pay"
    case .loser: "**loser**: fewer users pay"
    case .null: "**null**: no difference"
    case .trap: "**trap**: more trials, fewer paid months: do not ship"
    }
  }
}

extension ExperimentTruth.Effect {
  fileprivate var list: String {
    var parts: [String] = []
    if trial != 1 { parts.append("trial rate × \(trial)") }
    if direct != 1 { parts.append("direct rate × \(direct)") }
    if trialKeeping != 1 { parts.append("trials not cancelled × \(trialKeeping)") }
    if cancel != 1 { parts.append("cancellation of a period × \(cancel)") }
    if refund != 1 { parts.append("refunds × \(refund)") }
    if let planShares {
      parts.append("direct purchases \(planShares.list)")
    }
    return parts.isEmpty ? "none" : parts.joined(separator: "; ")
  }
}

extension [PlanShare] {
  fileprivate var list: String {
    map { "\($0.plan.name) \(percent($0.share))" }.joined(separator: ", ")
  }
}

extension AppTruth {
  fileprivate var section: String {
    let trialText =
      switch trial {
      case .none: "no trial"
      case .introductory(let days): "a \(days)-day introductory trial of the monthly plan"
      case .app(let days): "a \(days)-day trial by the app itself, without payment details"
      }
    var text = """

      ## \(title) (`\(name)`)

      It has \(trialText). \(percent(reach)) of the exposed users see a paywall. Direct purchases: \
      \(planShares.list).

      | product | plan | tier | \(SampleCurrency.allCases.map(\.rawValue).joined(separator: " | ")) |
      |---|---|---|---:|---:|---:|---:|

      """
    for product in products {
      let prices = SampleCurrency.allCases.map { product.price(in: $0) }
      text += row(["`\(product.id)`", product.plan.name, product.tier.rawValue] + prices)
    }
    text += """

      By variant and entry point of the first paywall view (rules 3 and 4). `share` is the share of the users who see a \
      paywall:

      | variant | entry point | share | trial_rate | trial_to_paid_rate | direct_rate | paid_rate | cancel_rate |
      |---|---|---:|---:|---:|---:|---:|---:|

      """
    for variant in experiment.variants {
      for entryPoint in entryPoints.map(Optional.some) + [nil] {
        guard let rates = paywallRates(variant: variant, entryPoint: entryPoint?.name) else { continue }
        let cells =
          [entryPoint?.share ?? 1, rates.trialRate, rates.trialToPaidRate, rates.directRate, rates.paidRate]
          + [rates.trialCancelRate]
        text += row(["`\(variant)`", entryPoint.map { "`\($0.name)`" } ?? "all"] + cells.map(percent))
      }
    }
    return text + subscriptionTable
  }

  /// The table of subscription rates; entry points with equal rates share a row.
  private var subscriptionTable: String {
    var text = """

      Subscriptions by the variant and entry point that sold them (rule 6). `renewed` is the share that renews after the \
      first period, `later` after a later one:

      | plan | variant | entry points | cancelled 35 d | 95 d | ended 35 d | 95 d | refunded | renewed | later |
      |---|---|---|---:|---:|---:|---:|---:|---:|---:|

      """
    let effect = experiment.effect
    let variants = effect.cancel == 1 && effect.refund == 1 ? ["control"] : experiment.variants
    let plans = Plan.allCases.filter { plan in plan != .lifetime && products.contains { $0.plan == plan } }
    for plan in plans {
      for variant in variants {
        for factor in Set(entryPoints.map(\.cancelFactor)).sorted() {
          let names = entryPoints.filter { $0.cancelFactor == factor }.map(\.name)
          guard let rates = subscriptionRates(variant: variant, entryPoint: names[0], plan: plan) else { continue }
          let cells = [
            rates.cancelled35, rates.cancelled95, rates.ended35, rates.ended95, rates.refundRate,
            rates.firstRenewalRate, rates.laterRenewalRate,
          ]
          text += row(
            [
              plan.name, variants.count == 1 ? "both" : "`\(variant)`",
              names.map { "`\($0)`" }.joined(separator: ", "),
            ] + cells.map(percent))
        }
      }
    }
    return text
  }
}

private func row(_ cells: [String]) -> String {
  "| " + cells.joined(separator: " | ") + " |\n"
}

/// Returns a share with one decimal, such as `21.5%`; `–` if it is undefined.
private func percent(_ share: Double?) -> String {
  guard let share else { return "–" }
  let tenths = Int((share * 1_000).rounded())
  return "\(tenths / 10).\(tenths % 10)%"
}

private func thousands(_ number: Int) -> String {
  var digits = String(number)
  var result = ""
  while digits.count > 3 {
    result = "," + digits.suffix(3) + result
    digits = String(digits.dropLast(3))
  }
  return digits + result
}

package import Simulation

extension Truth {
  /// Returns the page that describes a sample, in Markdown.
  ///
  /// - Parameters:
  ///   - directory: The directory of the event files, as the page names it.
  ///   - summary: The summary of the sample with these options.
  package func markdown(of options: SampleOptions, directory: String, summary: SampleSummary) -> String {
    var page = """
      # Sample data, and the truth behind it

      Simulated, not measured: \(thousands(summary.events)) events of \(thousands(summary.persons)) users and \
      \(options.apps.count) apps over \(options.days) days from \(options.firstDay), in \(summary.files) files. \
      Nobody here is real. The rates below are what the simulator draws from; the reports should find them again, \
      within chance.

      ```
      \(options.command(output: directory))
      ```

      makes the same lines on every machine and with any number of threads, and, with libzstd 1.5.4, the same files \
      byte for byte. This page is made from the same values (`Truth` in `Sources/Simulation`) and checked by a test.

      `SampleData/rates.csv` has exchange rates of EUR, GBP and JPY for `tollgate rates import`, one a day from 2026-01-01 on \
      for 120 days. They are made up, too: a slow wave around a level that each currency once had. With these rates, \
      reports show all amounts in one currency.

      ## The four experiments

      Half of the users are in each arm, by a hash of app and user. An `exposure` marks the assignment; not \
      everyone who is exposed sees a paywall.

      | app | experiment | treatment | truth | effect on control's rates |
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

      By arm, the share of exposed users (definitions 8.3) who start an introductory trial within 7 days, buy within \
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

    - Users arrive evenly over the days, more of them on weekends and in the evening (UTC). Each uses one app.
    - The first paywall decides: within 3.5 days the user starts a trial, buys, or does neither. They buy at the \
    entry point of that paywall, except in Coach, where most who saw another paywall first buy at the gate.
    - Coach's trials start at the entry point `onboarding`; in `trials` an arm's convert at its `trial_to_paid` above.
    - 12% of the others come back 32 to 60 days later (`paid_later_users`): past the windows of the funnel and the \
    experiments.
    - An introductory trial is cancelled with the stated rate; of the others \
    a share fails in billing, and the rest pay at its end, some of them up to 2.9 days later, in grace.
    - Each period of a subscription ends in one of refund, cancellation, failed billing, upgrade or renewal. Of those \
    that ended otherwise than by a refund, some resubscribe 5 to 25 days later.
    - Besides: subscribers from before the first day (their first payment is a renewal), buyers on the store's page \
    (`(unattributed)`), test devices (`sandbox`), family members (`family_shared`), redeemed offer codes (some are \
    grants), restores, users with two ids (`identify`), events that the collector got days late.

    """
}

extension ExperimentTruth.Verdict {
  fileprivate var sentence: String {
    switch self {
    case .winner: "**winner**: more people pay"
    case .loser: "**loser**: fewer people pay"
    case .null: "**null**: no difference"
    case .trap: "**trap**: more trials, fewer paid months; not to be shipped"
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
    map { "\($0.plan.rawValue) \(percent($0.share))" }.joined(separator: ", ")
  }
}

extension AppTruth {
  fileprivate var section: String {
    let trialText =
      switch trial {
      case .none: "no trial"
      case .introductory(let days): "an introductory trial of \(days) days, of the monthly plan"
      case .app(let days): "a trial of \(days) days by the app, without payment details"
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
      text += row(["`\(product.id)`", product.plan.rawValue, product.tier.rawValue] + prices)
    }
    text += """

      By variant and entry point of the first impression (definitions 3 and 4; `share` is of the users who see a \
      paywall):

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

      Subscriptions by the variant and entry point that sold them (definitions 6). `renewed` is the share that renews after \
      the first period, `later` after a later one:

      | plan | variant | entry points | cancelled 35 d | 95 d | ended 35 d | 95 d | refunded | renewed | later |
      |---|---|---|---:|---:|---:|---:|---:|---:|---:|

      """
    let effect = experiment.effect
    let variants = effect.cancel == 1 && effect.refund == 1 ? ["control"] : experiment.variants
    let plans = SamplePlan.allCases.filter { plan in plan != .lifetime && products.contains { $0.plan == plan } }
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
              plan.rawValue, variants.count == 1 ? "both" : "`\(variant)`",
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

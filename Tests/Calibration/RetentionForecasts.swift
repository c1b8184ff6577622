import Foundation
import Statistics

/// Checks how often the 95% interval of the renewals expected in months 13 to 24, fitted to the first 12 months,
/// covers the truth.
///
/// Simulated histories follow the model; real ones may not.
func retentionForecastChecks(repetitions: Int) -> [Check] {
  // α, β, number of customers, and whether they joined over the 12 months, so that later renewals were due for fewer.
  let simulated: [(alpha: Double, beta: Double, customers: Int, isStaggered: Bool)] = [
    (0.668, 3.806, 1_000, false), (0.668, 3.806, 5_000, true), (0.704, 1.182, 1_000, true), (6, 60, 5_000, false),
  ]
  let checks = simulated.flatMap { setting -> [Check] in
    let model = ShiftedBetaGeometric(alpha: setting.alpha, beta: setting.beta)
    let name =
      "\(setting.alpha), \(setting.beta), \(setting.customers) customers\(setting.isStaggered ? ", staggered" : "")"
    var (draws, tally) = (Draws(name: "retention forecast \(name)"), Tally())
    // Each history needs a fit and its profiles.
    let count = min(repetitions, 2_000)
    let curve = model.survival(through: 12)
    let truth = sumOfSecondYear(model.survival(through: 24))
    for _ in 0..<count {
      var histories = RetentionHistories()
      for place in 0..<setting.customers {
        let due = setting.isStaggered ? 1 + place % 12 : 12
        let chance = 1 - draws.uniform()
        histories.add(made: curve.dropFirst().prefix(due).count { $0 >= chance }, due: due)
      }
      note(histories.counts, truth, in: &tally)
    }
    return [
      Check(
        name: "forecast of months 13–24, shifted beta-geometric", setting: name,
        outcome: .share(hits: tally["model"], of: count, anchor: 0.95, anchored: nil)),
      // The model is right here, so the width added for the other explanation raises the coverage.
      Check(
        name: "the same, of both models (the stated interval)", setting: name,
        outcome: .range(Double(tally["both"]) / Double(count), low: 0.93, high: 1)),
    ]
  }
  return checks + telcoChecks()
}

/// Records whether the intervals of the second year's renewals cover the truth.
private func note(_ counts: RenewalCounts, _ truth: Double, in tally: inout Tally) {
  let model = retentionIntervals(counts) { [sumOfSecondYear($0.survival(through: 24))] }?[0]
  let both = retentionRanges(counts, through: 24) { [sumOfSecondYear($0)] }
  tally.alarm("model", if: model?.contains(truth) ?? false)
  tally.alarm("both", if: both?[0].contains(truth) ?? false)
  tally.endRepetition()
}

/// Counts the customers who had each renewal due, and those who made it.
private struct RetentionHistories {
  private var lost = [Double](repeating: 0, count: 12)
  private var kept = [Double](repeating: 0, count: 12)

  /// - Parameters:
  ///   - made: Renewals until the customer left.
  ///   - due: The renewals that were due by the end of the data.
  mutating func add(made: Int, due: Int) {
    for renewal in 0..<min(made, due) { kept[renewal] += 1 }
    if made < due { lost[made] += 1 }
  }

  var counts: RenewalCounts { RenewalCounts(lost: lost, kept: kept) }
}

private func sumOfSecondYear(_ curve: [Double]) -> Double { curve[13...24].reduce(0, +) }

/// Checks on 200 resamples of real customers, each fitted to the first 12 months; the truth is Kaplan–Meier over all of
/// them.
///
/// The figures have no target: they show how far the claim holds on these data.
private func telcoChecks() -> [Check] {
  guard let customers = TelcoCustomers.read() else { return [] }
  return customers.byContract.flatMap { name, tenures -> [Check] in
    var all: [SurvivalRecord] = []
    for tenure in tenures { all.append(SurvivalRecord(time: Double(tenure.months), cause: tenure.hasLeft ? 1 : 0)) }
    let truth = (13...24).reduce(0) { $0 + KaplanMeier(all).survival(at: Double($1)) }
    var (draws, tally) = (Draws(name: "telco \(name)"), Tally())
    let resamples = 200
    for _ in 0..<resamples {
      var histories = RetentionHistories()
      for _ in tenures {
        let tenure = tenures[Int(draws.uniform() * Double(tenures.count))]
        // A customer who left after m months made m − 1 renewals; one in month m + 1 made m, and the next is not due
        // yet.
        histories.add(made: tenure.hasLeft ? tenure.months - 1 : tenure.months, due: min(12, tenure.months))
      }
      note(histories.counts, truth, in: &tally)
    }
    return [("model", "shifted beta-geometric"), ("both", "of both models (the stated interval)")].map { kind, words in
      Check(
        name: "forecast of months 13–24, real, \(words)",
        setting: "telco \(name), \(tenures.count) customers, 200 resamples, no target",
        outcome: .range(Double(tally[kind]) / Double(resamples), low: 0, high: 1))
    }
  }
}

/// The public churn table of a telephone company: `data/public/telco_customer_churn.csv.zst` in `TOLLGATE_SHARED`, or
/// else in `../shared`.
private struct TelcoCustomers {
  /// Completed months, including the last one if the customer left at its end.
  struct Tenure {
    var months: Int
    var hasLeft: Bool
  }

  var byContract: [(name: String, tenures: [Tenure])] = []

  /// - Returns: `nil` if the file does not exist.
  static func read() -> TelcoCustomers? {
    let shared = ProcessInfo.processInfo.environment["TOLLGATE_SHARED"] ?? "../shared"
    let path = "\(shared)/data/public/telco_customer_churn.csv.zst"
    guard FileManager.default.isReadableFile(atPath: path) else { return nil }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["zstd", "-dcq", path]
    let output = Pipe()
    process.standardOutput = output
    guard (try? process.run()) != nil, let data = try? output.fileHandleForReading.readToEnd() else { return nil }
    process.waitUntilExit()
    let rows = String(decoding: data, as: UTF8.self).split(whereSeparator: \.isNewline).map { $0.split(separator: ",") }
    guard let header = rows.first, let tenure = header.firstIndex(of: "Permanencia"),
      let contract = header.firstIndex(of: "Contrato"), let churn = header.firstIndex(of: "CHURN")
    else { return nil }
    var customers = TelcoCustomers()
    for name in ["Month-to-month", "One year"] {
      let own = rows.dropFirst().compactMap { row -> Tenure? in
        guard row.count == header.count, row[contract] == name, let months = Int(row[tenure]), months > 0 else {
          return nil
        }
        let hasLeft = row[churn] == "Yes"
        return Tenure(months: hasLeft ? months : months - 1, hasLeft: hasLeft)
      }
      customers.byContract.append((name.lowercased(), own))
    }
    return customers.byContract.allSatisfy { !$0.tenures.isEmpty } ? customers : nil
  }
}

internal import Basics

/// An app's truth, with values that are computed from it once, before the simulation.
final class AppScript: Sendable {
  let truth: AppTruth
  let personKey: UInt64
  let eventKey: UInt64
  let transactionKey: UInt64
  let node: [UInt8]
  let entryPointShares: [Double]

  private let firstRelease: Milliseconds

  init(truth: AppTruth, seed: UInt64, start: Milliseconds) {
    self.truth = truth
    firstRelease = start
    let key = CounterRandom.key(SplitMix64.mixed(seed), truth.name)
    personKey = CounterRandom.key(key, "person")
    eventKey = CounterRandom.key(key, "event")
    transactionKey = CounterRandom.key(key, "transaction")
    node = SampleIdentifier.node(key: CounterRandom.key(key, "node"))
    entryPointShares = truth.entryPoints.map(\.share)
  }

  /// Returns the installed version: a version is released every 21 days and installed after a delay.
  func version(at instant: Milliseconds, delayDays: Int) -> String {
    let daysIn = (instant - firstRelease) / .day - Int64(delayDays)
    return truth.versions[min(max(0, Int(daysIn) / 21), truth.versions.count - 1)]
  }
}

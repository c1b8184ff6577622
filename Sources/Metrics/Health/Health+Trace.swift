internal import Lifecycle
internal import Store

extension Health {
  /// Checks whose cases belong to users.
  enum PersonCheck: String {
    case purchasesWithoutImpression = "purchases without an impression"
    case trialsWithoutImpression = "trials without an impression"
    case impressionsWithoutEntryPoint = "impressions without an entry point"
    case unseenAgain = "persons with impressions and no later identity"
    case offPaywall = "purchases of what the paywall did not show"
    case crossed = "persons in two variants of an experiment"
    case truncated = "subscriptions that began before the data"
    case sharedIDs = "subscription ids of two persons"
    case joined = "persons of several ids"
    case variantsChanged = "persons whose variants a join changed"
    case crossedByJoin = "persons crossed by a join"
    case conversionsChanged = "conversions that a join changed"
    case missingRates = "payments without an exchange rate"
  }

  /// Collects the users behind the cases of one check of an app while the cases are counted.
  final class Trace {
    let app: NameID
    let check: PersonCheck
    private(set) var cases: [Int32: Int] = [:]

    init(app: NameID, check: PersonCheck) {
      self.app = app
      self.check = check
    }

    /// - Parameter cases: 0 for a user to be listed without a case.
    func add(_ check: PersonCheck, _ app: NameID, _ person: Int64, cases count: Int = 1) {
      if check == self.check, app == self.app { cases[Int32(person), default: 0] += count }
    }
  }
}

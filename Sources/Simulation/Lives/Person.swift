/// One user of one app, drawn from the seed before the simulation.
struct Person {
  enum Kind {
    case meetsPaywalls
    case subscribedBefore
    case buysOnStorePage
    case tester
    case familyMember
    case redeemsCode
  }

  /// The part of the paywall context that the installed app version sends with trials and purchases.
  enum ContextHabit {
    case none
    case entryPoint
    case full
  }

  /// The purpose of a draw; each has its own stream.
  enum Purpose: UInt64 {
    case traits = 1
    case allocation
    case paywall
    case trial
    case subscription
    case returnVisit
    case activity
    case delivery
  }

  var index: Int
  private var key: UInt64
  var kind: Kind
  var arrival: Milliseconds
  var variant: String
  var country: Country
  var isAndroid: Bool
  var tier: SampleTier
  var contextHabit: ContextHabit
  /// Days until this user installs a new version.
  var updateDelayDays: Int
  var userID: String
  /// The id before the user logged in; `nil` for almost all users.
  var anonymousID: String?
  var identifiedAt: Milliseconds = 0
  var channel: String

  private static let channels = ["organic", "search_ads", "social", "referral"]
  private static let channelShares = [0.55, 0.20, 0.15, 0.10]

  init(index: Int, arrival: Milliseconds, script: AppScript) {
    self.index = index
    self.arrival = arrival
    key = CounterRandom.key(script.personKey, UInt64(index))
    var allocation = CounterRandom(key: CounterRandom.key(key, Purpose.allocation.rawValue))
    variant = script.truth.experiment.variants[allocation.happens(0.5) ? 0 : 1]

    var random = CounterRandom(key: CounterRandom.key(key, Purpose.traits.rawValue))
    let population = script.truth.population
    kind =
      switch random.pick([
        population.exposed, population.subscribedBefore, population.storePageBuyers, population.testers,
        population.familyMembers, population.codeRedeemers,
      ]) {
      case 0: .meetsPaywalls
      case 1: .subscribedBefore
      case 2: .buysOnStorePage
      case 3: .tester
      case 4: .familyMember
      default: .redeemsCode
      }
    country = Country.all[random.pick(Country.shares)]
    isAndroid = random.happens(0.28)
    let hasFamilyPlans = script.truth.products.contains { $0.tier == .family }
    tier = random.happens(0.15) && hasFamilyPlans ? .family : .individual
    if kind == .familyMember { tier = .family }
    contextHabit = [.none, .entryPoint, .full][random.pick([0.35, 0.15, 0.50])]
    updateDelayDays = Int(random.within(0..<12))
    channel = Self.channels[random.pick(Self.channelShares)]
    userID = "u-" + SampleIdentifier.personCode(key: script.personKey, person: index)
    if random.happens(population.identified), kind == .meetsPaywalls {
      anonymousID = "anon-" + SampleIdentifier.personCode(key: ~script.personKey, person: index)
      identifiedAt = arrival + random.within(.hour..<3 * .day)
    }
  }

  /// Returns the random stream of a purpose; the serial distinguishes several streams of one purpose.
  func random(for purpose: Purpose, serial: Int = 0) -> CounterRandom {
    CounterRandom(key: CounterRandom.key(key, purpose.rawValue | UInt64(serial) << 8))
  }
}

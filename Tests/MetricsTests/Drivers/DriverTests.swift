import Testing

@testable import Metrics

/// The search for drivers and its exact parts; events with planted causes are in `Tests/Acceptance/Oracle/drivers.py`.
struct DriverTests {
  private typealias Side = [DriverCounts.Row]

  private func side(_ rows: [(country: String, platform: String, units: Int, met: Int)]) -> Side {
    rows.map {
      DriverCounts.Row(values: [$0.country, $0.platform], count: DriverCounts.Count(units: $0.units, sum: $0.met))
    }
  }

  private func table(_ before: Side, _ now: Side) -> DriverCounts {
    DriverCounts([.country, .platform], before: before, now: now)
  }

  /// Before 30 of 100 in A and 10 of 100 in B, now 30 of 50 and 15 of 150, so C = (0.2 + 0.225) ÷ 2 = 0.2125:
  /// mix of A (0.25 − 0.5)(0.45 − 0.2125) = −0.059375, rate 0.375 · 0.3 = 0.1125;
  /// mix of B (0.75 − 0.5)(0.1 − 0.2125) = −0.028125, rate 0. They add up to 0.025.
  @Test func partsAreKitagawas() {
    let counts = table(
      side([("A", "ios", 100, 30), ("B", "ios", 100, 10)]), side([("A", "ios", 50, 30), ("B", "ios", 150, 15)]))
    let parts = DriverParts(counts, cut: [0], unit: 1e6).rows
    #expect(parts.map { counts.name($0.segment) } == ["country=A", "country=A", "country=B", "country=B"])
    #expect(parts.map(\.printed) == [-59_375, 112_500, -28_125, 0])
  }

  /// A has 30 payers of 100 viewers, then none of 1; B 10 of 100, then 15 of 150; C is new with 4 of 50. The number falls
  /// from 40 to 19: A −30, B +5, C +4. Twice the days now, there would have been 60 and 20: −60, −5, +4.
  @Test func partsOfACountAreTheChangesOfSegments() {
    let (before, now) = (
      side([("A", "ios", 100, 30), ("B", "ios", 100, 10)]),
      side([("A", "ios", 1, 0), ("B", "ios", 150, 15), ("C", "ios", 50, 4)])
    )
    for (scale, printed) in [(1.0, [-3_000, 500, 400]), (2, [-6_000, -500, 400])] {
      let counts = DriverCounts([.country, .platform], before: before, now: now, isOfCount: true, scale: scale)
      let parts = DriverParts(counts, cut: [0], unit: 100).rows
      #expect(parts.map { counts.name($0.segment) } == ["country=A", "country=B", "country=C"])
      #expect(parts.allSatisfy { $0.part == .volume } && parts.map(\.printed) == printed)
    }
  }

  /// An entry point keeps its rate of 10% but loses its viewers: 40 payers, then none. The others keep 60 of 600. Own change
  /// −40 ÷ √40 = −6.32; now has 0 of 40 and 60 of 120 payers of both sides, in all 37.5%: −0.5 ÷ √(0.375 · 0.625 (1/40 +
  /// 1/120)) = −5.657, which is nearer to 0. The share of payers says nothing of it: all rates are 10%.
  @Test func aCountsDriverIsTheSegmentThatLostItsUsers() throws {
    let before = side([("settings", "ios", 400, 40), ("home", "ios", 300, 30), ("home", "android", 300, 30)])
    let now = side([("home", "ios", 300, 30), ("home", "android", 300, 30)])
    let counts = DriverCounts([.entryPoint, .platform], before: before, now: now, isOfCount: true)
    let top = try #require(DriverSearch(counts).top(seed: "test"))
    #expect(counts.name(top.segment) == "entry_point=settings" && top.score.part == .volume)
    #expect(abs(top.score.z + 5.6569) < 0.001 && top.p == 0.001)
    let shares = DriverCounts([.entryPoint, .platform], before: before, now: now)
    #expect(try #require(DriverSearch(shares).top(seed: "test")).p > 0.05)
  }

  /// Version 2 fails on android: 5 of 300 instead of 20%, while ios keeps 20%. The version did not exist before, so within
  /// it android is compared with android before: 1.7% after 20%, and ios did not move. If both platforms fall alike, or
  /// android always had a lower rate, the version is the driver, or nothing is.
  @Test func aNewVersionThatFailsOnOnePlatformIsThePair() throws {
    func top(_ rows: [(version: String, platform: String, before: (Int, Int), now: (Int, Int))]) throws -> String {
      func side(_ counts: [(Int, Int)]) -> Side {
        zip(rows, counts).map { row, count in
          DriverCounts.Row(
            values: [row.platform, row.version], count: DriverCounts.Count(units: count.0, sum: count.1))
        }
      }
      let counts = DriverCounts([.platform, .appVersion], before: side(rows.map(\.before)), now: side(rows.map(\.now)))
      let found = try #require(DriverSearch(counts).top(seed: "test"))
      return found.p <= 0.05 ? counts.name(found.segment) : ""
    }
    let none = (0, 0)
    let ofOne = try top([
      ("1", "ios", (600, 120), (300, 60)), ("1", "android", (600, 120), (300, 60)), ("2", "ios", none, (300, 60)),
      ("2", "android", none, (300, 5)),
    ])
    #expect(ofOne == "platform=android,app_version=2")
    let ofBoth = try top([
      ("1", "ios", (600, 120), (300, 60)), ("1", "android", (600, 120), (300, 60)), ("2", "ios", none, (300, 5)),
      ("2", "android", none, (300, 5)),
    ])
    #expect(["app_version=1", "app_version=2"].contains(ofBoth))
    let ofNone = try top([
      ("1", "ios", (600, 180), (300, 90)), ("1", "android", (600, 30), (300, 15)), ("2", "ios", none, (300, 90)),
      ("2", "android", none, (300, 15)),
    ])
    #expect(ofNone == "")
  }

  /// An experiment that all users are in starts: 20% paid before, now 18% of its control and 4% of b. All of the change is
  /// in the experiment. Control and b differ from each other alike, and b from the 20% before. In a count of payers,
  /// neither says anything.
  @Test func aNewExperimentIsFoundByItsVariant() throws {
    let before = [DriverCounts.Row(values: ["(none)", "(none)"], count: .init(units: 1_000, sum: 200))]
    let now = [("control", 90), ("b", 20)].map { variant, paid in
      DriverCounts.Row(values: ["test", variant], count: .init(units: 500, sum: paid))
    }
    let shares = DriverCounts([.experiment, .variant], before: before, now: now)
    let top = try #require(DriverSearch(shares).top(seed: "test"))
    #expect(shares.name(top.segment) == "variant=b" && top.p <= 0.05)
    let counts = DriverCounts([.experiment, .variant], before: before, now: now, isOfCount: true)
    #expect(DriverSearch(counts).top(seed: "test") == nil)
  }

  /// 1 for three values of a third: each rounds down to 0, and the first of the equal remainders has the missing unit.
  @Test func printedPartsAddUp() {
    #expect(DriverParts.printed([1.0 / 3, 1.0 / 3, 1.0 / 3], sum: 1) == [1, 0, 0])
    #expect(DriverParts.printed([-0.5, 2.75, -1.25], sum: 1) == [-1, 3, -1])
  }

  /// Germany falls from 20 to 8%, the others stay at 20%.
  @Test func aFallInOneCountryIsItsDriver() throws {
    let before = side([
      ("DE", "ios", 400, 80), ("DE", "android", 400, 80), ("US", "ios", 900, 180), ("US", "android", 900, 180),
    ])
    let now = side([
      ("DE", "ios", 400, 32), ("DE", "android", 400, 32), ("US", "ios", 900, 180), ("US", "android", 900, 180),
    ])
    let counts = table(before, now)
    let top = try #require(DriverSearch(counts).top(seed: "test"))
    #expect(counts.name(top.segment) == "country=DE" && top.score.part == .rate && top.p == 0.001)
    let rest = counts.without(top.segment)
    #expect(rest.before.units == 1_800 && rest.now.sum == 360)
    #expect(try #require(DriverSearch(rest).top(seed: "test")).p > 0.05)
  }

  /// Onboarding of version 2 had and has 12% instead of 20%, and 90 instead of 30% of users have the version now: by the
  /// scores of 10.5 in Python, z of that pair is about −5.6. Within version 2 its share and rate stay (z 0), so it is passed
  /// over. DE falls to 6 instead of 20%: −5.1989 is the next.
  @Test func aPairThatIsNoFindingLeavesTheNextSegment() throws {
    let rows: [(entry: String, country: String, version: String, before: (Int, Int), now: (Int, Int))] = [
      ("onboarding", "DE", "1", (175, 35), (25, 2)), ("onboarding", "DE", "2", (75, 9), (225, 8)),
      ("onboarding", "US", "1", (525, 105), (75, 15)), ("onboarding", "US", "2", (225, 27), (675, 81)),
      ("other", "DE", "1", (175, 35), (25, 2)), ("other", "DE", "2", (75, 15), (225, 14)),
      ("other", "US", "1", (525, 105), (75, 15)), ("other", "US", "2", (225, 45), (675, 135)),
    ]
    func side(_ counts: [(Int, Int)]) -> Side {
      zip(rows, counts).map { row, count in
        DriverCounts.Row(
          values: [row.entry, row.country, row.version], count: DriverCounts.Count(units: count.0, sum: count.1))
      }
    }
    let counts = DriverCounts(
      [.entryPoint, .country, .appVersion], before: side(rows.map(\.before)), now: side(rows.map(\.now)))
    let top = try #require(DriverSearch(counts).top(seed: "test"))
    #expect(counts.name(top.segment) == "country=DE" && top.score.part == .rate && top.p <= 0.05)
    #expect(abs(top.score.z + 5.1989) < 0.0001)
  }

  /// 8 countries with 5 platforms each, 200 users in each pair, of whom 20% pay. DE falls to 1.5% on ios and to 12.5% on the
  /// others. By the scores of 10.5 in Python, z of the pair is −5.7673 and of DE −5.7267. There are 13 single values and 40
  /// pairs: 33.2620 − 2 ln 40 = 25.88 for the pair is less than 32.7949 − 2 ln 13 = 27.66.
  @Test func aPairNeedsMoreEvidenceBecauseThereAreMore() throws {
    func side(ios: Int, others: Int) -> Side {
      ["AT", "BR", "DE", "ES", "FR", "GB", "IT", "US"].flatMap { country in
        ["android", "ios", "linux", "macos", "web"].map { platform in
          let met = country == "DE" ? platform == "ios" ? ios : others : 40
          return DriverCounts.Row(values: [country, platform], count: DriverCounts.Count(units: 200, sum: met))
        }
      }
    }
    let counts = table(side(ios: 40, others: 40), side(ios: 3, others: 25))
    let top = try #require(DriverSearch(counts).top(seed: "test"))
    #expect(counts.name(top.segment) == "country=DE" && abs(top.score.z + 5.7267) < 0.0001)
    // If the other platforms of DE kept their rate, the pair is the finding.
    let alone = table(side(ios: 40, others: 40), side(ios: 3, others: 40))
    #expect(alone.name(try #require(DriverSearch(alone).top(seed: "test")).segment) == "country=DE,platform=ios")
  }

  /// The odds of all halve: of US from 1 (600 of 1,200) to 1/2 (400), of IN from 1/9 (190
  /// of 1,900) to 1/18 (100). In points,
  /// US would fall far more.
  @Test func oddsThatFallAlikeAreNoDriver() throws {
    let top = try #require(
      DriverSearch(
        table(
          side([("US", "ios", 1_200, 600), ("IN", "ios", 1_900, 190)]),
          side([("US", "ios", 1_200, 400), ("IN", "ios", 1_900, 100)]))
      ).top(seed: "test"))
    #expect(abs(top.score.z) < 1e-6 && top.p == 1)
  }

  /// 600 users of the web come, of whom 30% pay. The shares of the others fall, but as many of them come as before.
  @Test func aShareThatFallsBecauseOthersCameIsNoDriver() throws {
    let known = [("US", "ios", 1_000, 200), ("US", "android", 1_000, 50), ("DE", "ios", 500, 100)]
    let counts = table(side(known), side(known + [("US", "web", 600, 180)]))
    let top = try #require(DriverSearch(counts).top(seed: "test"))
    #expect(counts.name(top.segment) == "platform=web" && top.score.part == .mix && top.p <= 0.05)
  }

  /// 32 of 150 users of a version paid, then none of the last 20: by chance, 1 in 100 times (0.787²⁰). With p̃ = 32.5 ÷ 171
  /// of both sides, z is −0.2133 ÷ √(0.15394 (1/150 + 1/20)) = −2.284. With p̃ of each side, it would be −4.46. Against the odds
  /// of the rest, 268 of 1,350 and 300 of 1,480, it is −0.21553 ÷ √(0.0087233 + 0.15394² · 0.0088475) = −2.2804.
  @Test func aVersionWithFewUsersLeftDoesNotStandOut() throws {
    let segment = (before: DriverCounts.Count(units: 150, sum: 32), now: DriverCounts.Count(units: 20, sum: 0))
    let all = (before: DriverCounts.Count(units: 1_500, sum: 300), now: DriverCounts.Count(units: 1_500, sum: 300))
    let score = try #require(DriverScore(segment, of: all, in: table([], [])))
    #expect(abs(score.ownRate + 2.2804) < 0.0001)
  }

  /// All users on the web are in AT, where others use ios: `country=AT,platform=web` comes first in byte order, but
  /// `platform=web` says as much in fewer words.
  @Test func theNameWithFewerDimensionsComesFirst() throws {
    let before = side([("AT", "ios", 500, 100), ("AT", "web", 500, 200), ("US", "ios", 800, 160)])
    let now = side([("AT", "ios", 500, 100), ("AT", "web", 500, 50), ("US", "ios", 800, 160)])
    let counts = table(before, now)
    let top = try #require(DriverSearch(counts).top(seed: "test"))
    #expect(counts.name(top.segment) == "platform=web")
    #expect(top.aliases.map(counts.name) == ["country=AT,platform=web"])
  }

  /// Both platforms of FR are iOS: the pair is the same users, and stands as another name of the country.
  @Test func segmentsOfTheSameUsersAreOne() throws {
    let before = side([("FR", "ios", 500, 200), ("US", "ios", 800, 160), ("US", "android", 800, 160)])
    let now = side([("FR", "ios", 500, 50), ("US", "ios", 800, 160), ("US", "android", 800, 160)])
    let counts = table(before, now)
    let top = try #require(DriverSearch(counts).top(seed: "test"))
    #expect(counts.name(top.segment) == "country=FR" && top.aliases.map(counts.name) == ["country=FR,platform=ios"])
  }

  /// A group of iOS users has no value of `platform` in common with all others, so the platform only names the groups
  /// again. Of two periods, it would be what changed.
  @Test func whatOnlyNamesTheGroupsIsNotSearched() {
    let before = side([("DE", "ios", 400, 80), ("US", "ios", 900, 180)])
    let now = side([("DE", "android", 400, 40), ("US", "android", 900, 90)])
    #expect(DriverCounts([.country, .platform], before: before, now: now, isOfPeriods: false).dimensions == [.country])
    #expect(table(before, now).dimensions == [.country, .platform])
  }

  // MARK: Money

  /// Payments of one amount, in dollars.
  private func payments(_ rows: [(country: String, platform: String, units: Int, dollars: Int)]) -> Side {
    rows.map { row in
      let amount = row.dollars * 1_000_000
      let count = DriverCounts.Count(
        units: row.units, sum: row.units * amount, squares: Double(row.units) * Double(amount) * Double(amount))
      return DriverCounts.Row(values: [row.country, row.platform], count: count, amounts: [amount: row.units])
    }
  }

  private func money(_ before: Side, _ now: Side, scale: Double = 1) -> DriverCounts {
    DriverCounts([.country, .platform], before: before, now: now, isOfMoney: true, scale: scale)
  }

  /// DE pays 10 times 10, then 5 times 8: volume (5 − 10)(10 + 8) ÷ 2 = −45 and rate (8 − 10)(10 + 5) ÷ 2 = −15. US pays 20,
  /// then 22 times 10: volume 20, rate 0. FR, new, pays 3 times 7: all volume. In all 300, then 281.
  @Test func partsOfMoneyAddUp() {
    let counts = money(
      payments([("DE", "ios", 10, 10), ("US", "ios", 20, 10)]),
      payments([("DE", "ios", 5, 8), ("US", "ios", 22, 10), ("FR", "ios", 3, 7)]))
    let parts = DriverParts(counts, cut: [0], unit: 100 / 1e6).rows
    #expect(parts.map { counts.name($0.segment) } == ["DE", "DE", "FR", "FR", "US", "US"].map { "country=\($0)" })
    #expect(parts.map(\.part) == [.volume, .rate, .volume, .rate, .volume, .rate])
    #expect(parts.map(\.printed) == [-4_500, -1_500, 2_100, 0, 2_000, 0])
    // Twice the days now: DE would have paid 20 times, so (5 − 20) · 9 = −135 and −2 · 12.5 = −25.
    let longer = money(
      payments([("DE", "ios", 10, 10), ("US", "ios", 20, 10)]), payments([("DE", "ios", 5, 8)]), scale: 2)
    #expect(
      DriverParts(longer, cut: [0], unit: 100 / 1e6).rows.prefix(2).map(\.printed) == [-13_500, -2_500])
  }

  /// android and ios each pay 10.00 once, then 10.01 twice: volume 10.005 and rate 0.015 each. Of the half cents, volume is
  /// rounded up first.
  @Test func halfCentsGoToVolumeFirst() {
    func side(_ cents: Int, _ count: Int) -> Side {
      ["android", "ios"].map { platform in
        let amount = cents * 10_000
        return DriverCounts.Row(
          values: ["DE", platform],
          count: DriverCounts.Count(
            units: count, sum: count * amount, squares: Double(count * amount) * Double(amount)),
          amounts: [amount: count])
      }
    }
    let parts = DriverParts(money(side(1_000, 1), side(1_001, 2)), cut: [0], unit: 100 / 1e6).rows
    #expect(parts.map(\.part) == [.volume, .rate, .volume, .rate])
    #expect(parts.map(\.printed) == [1_001, 1, 1_001, 1])
  }

  /// Half of Germany's payments are missing, each of the usual amount; then only its price falls.
  @Test func fewerPaymentsAndSmallerOnesAreDrivers() throws {
    let before = payments([
      ("DE", "ios", 200, 10), ("DE", "ios", 200, 30), ("US", "ios", 400, 10), ("US", "ios", 400, 30),
    ])
    let fewer = payments([
      ("DE", "ios", 100, 10), ("DE", "ios", 100, 30), ("US", "ios", 400, 10), ("US", "ios", 400, 30),
    ])
    let top = try #require(DriverSearch(money(before, fewer)).top(seed: "test"))
    #expect(top.score.part == .volume && top.p == 0.001)
    // −200 ÷ √600 = −8.16; ln(200.5 ÷ 400.5) ÷ √(1/200.5 + 1/400.5 + 2/800.5) = −6.925.
    #expect(abs(top.score.z + 6.925) < 0.001)
    let cheaper = payments([
      ("DE", "ios", 200, 10), ("DE", "ios", 200, 20), ("US", "ios", 400, 10), ("US", "ios", 400, 30),
    ])
    let second = try #require(DriverSearch(money(before, cheaper)).top(seed: "test"))
    // Means 20 and 15, squares 400 · 100 + 400 · 25 over 798, so a variance of 62.657: −5 ÷ √(62.657 · 2/400) = −8.93. Of the
    // rest, which stays at 20, it is 2 · 800 · 100 ÷ 1,598: −5 ÷ √(62.657 · 2/400 + 17.5² · 100.125 · 2/800 ÷ 20²) = −7.0365.
    #expect(second.score.part == .rate && second.p == 0.001 && abs(second.score.z + 7.0365) < 0.001)
  }

  /// All prices of GB rise by half: 20 of 40 and 20 of 2 are then of 60 and 3. Its mean rises from 21 to 31.5, too little for
  /// payments that differ so much. By search_money.py, z of GB is 1.8571 with p 0.2, and of GB on ios 7.5380 with p below
  /// 0.01, although it does not stand out inside GB.
  @Test func aPairIsNamedWhereItsCountryIsNoDriver() throws {
    func side(_ large: Int, _ small: Int) -> Side {
      payments([
        ("GB", "ios", 20, large), ("GB", "android", 20, small), ("US", "ios", 300, 40), ("US", "android", 300, 2),
      ])
    }
    let counts = money(side(40, 2), side(60, 3))
    let top = try #require(DriverSearch(counts).top(seed: "test"))
    #expect(counts.name(top.segment) == "country=GB,platform=ios" && top.score.part == .rate && top.p <= 0.01)
    #expect(abs(top.score.z - 7.5380) < 0.001)
  }

  /// Version 2 takes the place of version 1. Rates stay: 20% of 300 users of variant a on each side, 40% of 300 of b. That
  /// nobody has b on version 1 any more is news of the version alone.
  @Test func aVersionThatEndsMakesNoPairADriver() throws {
    func side(_ version: String) -> Side {
      [("a", 60), ("b", 120)].map {
        DriverCounts.Row(values: [$0.0, version], count: DriverCounts.Count(units: 300, sum: $0.1))
      }
    }
    let counts = DriverCounts([.variant, .appVersion], before: side("1"), now: side("2"))
    #expect(try #require(DriverSearch(counts).top(seed: "test")).p > 0.05)
  }

  @Test func segmentsHaveWords() {
    #expect(Report.words(ofSegment: "country=DE,stage=1", cut: "country,stage") == "country DE, first payments")
    #expect(Report.words(ofSegment: "stage=13+", cut: "stage") == "payment 13+")
    #expect(Report.words(ofSegment: "stage=1,property:a=b,c=d", cut: "stage,property:a") == "first payments, a b,c=d")
  }

  /// The app is young: monthly subscriptions reach their second and third payment, weekly ones and first payments stay. Of
  /// two periods, the growth is no finding. Fewer payments of a plan are one, and so are more first payments.
  @Test func subscriptionsThatGrowOlderAreNoDriver() throws {
    func top(_ now: (first: Int, later: Int), isOfAges: Bool = true) throws -> (name: String, p: Double) {
      func side(_ monthly: (first: Int, later: Int)) -> Side {
        [
          ("monthly", "1", monthly.first), ("monthly", "3-5", monthly.later), ("weekly", "1", 300),
          ("weekly", "3-5", 300),
        ]
        .map { plan, stage, units in
          DriverCounts.Row(
            values: [plan, stage], count: DriverCounts.Count(units: units, sum: units * 5, squares: Double(units * 25)),
            amounts: [5: units])
        }
      }
      let counts = DriverCounts(
        [.plan, .stage], before: side((300, 100)), now: side(now), isOfMoney: true, isOfAges: isOfAges)
      let found = try #require(DriverSearch(counts).top(seed: "test"))
      return (counts.name(found.segment), found.p)
    }
    #expect(try top((300, 250)).p > 0.05)
    #expect(try top((300, 250), isOfAges: false).p <= 0.05)
    let fewer = try top((150, 50))
    #expect(fewer.name == "plan=monthly" && fewer.p == 0.001)
    let more = try top((600, 100))
    #expect(more.name == "plan=monthly,stage=1" && more.p == 0.001)
    // Refunds move on to later payments as well: 30 of first payments in both periods, and 2 and then 23 of later ones.
    func refunds(later: Int) -> Side {
      [("1", 30), ("6-12", later)].map {
        DriverCounts.Row(
          values: [$0], count: DriverCounts.Count(units: $1, sum: $1 * 5, squares: Double($1 * 25)), amounts: [5: $1])
      }
    }
    let counts = DriverCounts([.stage], before: refunds(later: 2), now: refunds(later: 23), isOfMoney: true)
    let refunded = try #require(DriverSearch(counts).top(seed: "test"))
    #expect(counts.name(refunded.segment) == "stage=1" && refunded.p > 0.05)
  }

  /// A paywall sells since a month ago: 200 first payments of 30 on both sides, and 10 and then 120 later ones of 10.
  /// 400 payments of subscriptions without a paywall stay. Neither the number nor the mean of the paywall's is news.
  @Test func aPaywallThatSellsLatelyIsNoDriver() throws {
    func top(_ now: (first: Int, later: Int), isOfAges: Bool = true) throws -> (name: String, p: Double) {
      func side(_ paywall: (first: Int, later: Int)) -> Side {
        [("main", "1", paywall.first, 30), ("main", "2", paywall.later, 10), ("(unattributed)", "?", 400, 10)].map {
          DriverCounts.Row(
            values: [$0, $1], count: DriverCounts.Count(units: $2, sum: $2 * $3, squares: Double($2 * $3 * $3)),
            amounts: [$3: $2])
        }
      }
      let cells = DriverCounts(
        [.paywall, .stage], before: side((200, 10)), now: side(now), isOfMoney: true, isOfAges: isOfAges)
      let found = try #require(DriverSearch(cells).top(seed: "test"))
      return (cells.name(found.segment), found.p)
    }
    #expect(try top((200, 120)).p > 0.05)
    #expect(try top((200, 120), isOfAges: false).p <= 0.05)
    let fewer = try top((100, 120))
    #expect(fewer.name == "stage=1" && fewer.p == 0.001)
  }

  /// All prices halve: those of DE by 15, of US by 5. Each segment falls by the same factor, so none stands out.
  @Test func pricesThatFallAlikeAreNoDriver() throws {
    let before = payments([
      ("DE", "ios", 200, 20), ("DE", "ios", 200, 40), ("US", "ios", 400, 8), ("US", "android", 400, 12),
    ])
    let now = payments([
      ("DE", "ios", 200, 10), ("DE", "ios", 200, 20), ("US", "ios", 400, 4), ("US", "android", 400, 6),
    ])
    let top = try #require(DriverSearch(money(before, now)).top(seed: "test"))
    #expect(abs(top.score.z) < 1e-6 && top.p == 1)
  }

  @Test func withoutADifferenceNothingStandsOut() throws {
    let one = side([("DE", "ios", 400, 80), ("US", "ios", 900, 180), ("US", "android", 900, 180)])
    #expect(try #require(DriverSearch(table(one, one)).top(seed: "test")).p == 1)
    // Fewer than 20 units are not looked at.
    let few = side([("DE", "ios", 4, 1), ("US", "ios", 5, 2)])
    #expect(DriverSearch(table(few, few)).top(seed: "test") == nil)
  }

  @Test func whatCannotBeSplitIsRefused() throws {
    let store = try TestStore(lines: [])
    for (kind, column, reason) in [
      (ReportKind.payback, "mrr", "why does not support payback; use funnel"),
      (.mrr, "arr", "--column is arr, but why mrr splits the change of mrr"),
      (.revenue, "net", "must be one of gross, refunded, revenue"),
      (.funnel, "paid_rat", "did you mean paid_rate?"),
    ] {
      var request = ReportRequest(kind)
      (request.comparison, request.drivers) = (try ComparedWith("previous"), DriverQuestion(column: column))
      let error = #expect(throws: OptionError.self) { try store.store.read { try request.run($0) } }
      #expect("\(error.map { "\($0)" } ?? "")".contains(reason))
    }
  }
}

import EventModel
import Testing

@testable import Ingest

/// Fields and events that values and times tell where names do not. Each expected value is read off the lines.
@Suite struct ValueEvidenceTests: ProposalOfLines {
  private static func day(_ day: Int, _ time: String = "10:00:00") -> String {
    let ofMonth = (day - 1) % 31 + 1
    return "2026-\(day > 31 ? "02" : "01")-\(ofMonth < 10 ? "0" : "")\(ofMonth)T\(time)Z"
  }

  /// Words in another case or gender than those that are known.
  @Test(arguments: [
    ("Anulowano subskrypcję", EventKind.cancellation), ("Otwarto aplikację", .activity),
    ("Annulation abonnement", .cancellation), ("Lancement app", .activity),
  ])
  func wordsHaveOtherEndings(name: String, kind: EventKind) { #expect(KindWords.meaning(of: name) == .kind(kind)) }

  /// Each of 30 users sees two places, and nothing else has one. A column that is the same for all records of a user, or
  /// that openings of the app have as well, is no place.
  @Test(arguments: [("home,settings", "", true), ("home,home", "", false), ("home,settings", "start", false)])
  func placesOfViewsAreTheEntryPoint(places: String, opening: String, isTaken: Bool) throws {
    let both = places.split(separator: ",").map(String.init)
    let lines = (1...30).flatMap { user in
      [
        "u\(user),\(Self.day(user, "09:00:00")),app_opened,\(opening)",
        "u\(user),\(Self.day(user)),paywall_viewed,\(user % 2 == 0 ? both[0] : both[1])",
        "u\(user),\(Self.day(user, "11:00:00")),paywall_viewed,\(user % 2 == 0 ? both[1] : both[0])",
      ]
    }
    let found = try Self.proposal(["user_id,ts,event,abc"] + lines)
    #expect((Self.path("entry_point", found) == "abc") == isTaken, "\(found.fields)")
    #expect(found.warnings.contains { $0.hasPrefix("abc is read as the entry point") } == isTaken, "\(found.warnings)")
  }

  /// `FREE_TRIAL` is no type of offer (events.md), and a trial with one would be rejected.
  @Test(arguments: [("introductory", true), ("FREE_TRIAL", false)])
  func offersAreOfKnownTypes(type: String, isTaken: Bool) throws {
    let lines = (1...20).flatMap { user in
      [
        "u\(user),\(Self.day(user)),paywall_viewed,,,",
        "u\(user),\(Self.day(user, "11:00:00")),trial_started,pro_monthly,7,\(type)",
      ]
    }
    let found = try Self.proposal(["user_id,ts,event,product_id,trial_days,offer_type"] + lines)
    #expect((Self.path("offer_type", found) == "offer_type") == isTaken, "\(found.fields)")
  }

  /// Of 20 users with a trial, 12 have a `zzz` two days later; or all have one before it.
  @Test(arguments: [(2, true), (-2, false)])
  func namesAfterTrialsMayBeCancellations(days: Int, isSaid: Bool) throws {
    let lines = (5...24).flatMap { user in
      ["u\(user),\(Self.day(user)),trial_started,pro_monthly,7"]
        + (user < 17 ? ["u\(user),\(Self.day(user + days)),zzz,,"] : [])
    }
    let found = try Self.proposal(["user_id,ts,event,product_id,trial_days"] + lines)
    #expect(found.warnings.contains { $0.contains("`--event zzz=cancellation`") } == isSaid, "\(found.warnings)")
  }

  /// One record for each of 12 users with paywall views in another file: with a variant, he entered a test then.
  @Test(arguments: [("ab_group", EventKind.exposure), ("city", .activity)])
  func tablesOfUsersStandBesideEvents(column: String, kind: EventKind) throws {
    let users = (1...12).map { "u\($0),\(Self.day($0, "09:00:00")),\($0 % 2 == 0 ? "control" : "treatment")" }
    let views = (1...12).map { "u\($0),\(Self.day($0)),home" }
    let found = try ProposalTests.proposals([
      ("users.csv", ["user_id,created_at,\(column)"] + users),
      ("paywall_views.csv", ["user_id,viewed_at,screen"] + views),
    ])
    let table = try #require(found["users"])
    #expect(Self.kind("*", table) == kind && table.missing.isEmpty, "\(table.names) \(table.missing)")
  }

  /// Users pay `sku-1` each month, and nobody pays `sku-2` again: for less than two months, or for more than a quarter.
  @Test(arguments: [(2, "PLAN"), (5, "yearly")])
  func productsThatNobodyPaidAgainAreLikelyYearly(lastMonth: Int, plan: String) throws {
    let lines = (1...20).flatMap { user in
      let renewals = (2...lastMonth).map { month in
        "u\(user),2026-0\(month)-\(user < 10 ? "0" : "")\(user)T10:00:00Z,subscription_renewed,sku-1,9.99,USD"
      }
      return ["u\(user),\(Self.day(user)),subscription_started,sku-1,9.99,USD"] + renewals
        + ["v\(user),\(Self.day(user)),subscription_started,sku-2,59.99,USD"]
    }
    let found = try Self.proposal(["user_id,ts,event,product_id,price,currency"] + lines)
    #expect(found.options == ["--plan sku-2=\(plan)"], "\(found.options)")
  }

  /// No column has products or prices, so a plan for trials would not give the funnel.
  @Test func optionsThatTakeAPartAreNoCommand() throws {
    let lines = (1...20).flatMap { user in
      ["u\(user),\(Self.day(user)),trial_started", "u\(user),\(Self.day(user + 7)),subscription_started"]
    }
    let found = try Self.proposal(["user_id,ts,event"] + lines)
    #expect(found.leftOut.count == 2 && found.options.isEmpty, "\(found.options)")
  }

  /// A state for each day says nothing of what happened. One for each subscription may be read as an event.
  @Test(arguments: [(8, "status"), (1, nil)] as [(Int, String?)])
  func statesOfEachDayAreNoEvents(days: Int, state: String?) throws {
    let lines = (1...24).flatMap { user in
      (1...days).map { "s\(user),u\(user),\($0 < 4 ? "trialing" : "active"),\(Self.day($0))" }
    }
    let found = try Self.proposal(["subscription_id,user_id,status,day"] + lines)
    #expect(found.missing == ["event name"] && found.repeatedState == state, "\(found.missing)")
  }

  /// A spreadsheet cut the ids of 20 users to three digits, and the times to minutes and tenths of a second.
  @Test func lostDigitsAreSaid() throws {
    let ids = (1...20).flatMap { user in
      (1...3).map { "1.\(user + 10)E+17,\(Self.day(user + $0)),paywall_viewed,home" }
    }
    let found = try Self.proposal(["user_id,ts,event,screen"] + ids)
    let said = found.warnings + [found.unread].compactMap(\.self)
    #expect(said.contains { $0.hasPrefix("user_id has lost digits in a spreadsheet") }, "\(said)")
    let times = (10...33).map { "u\($0),\($0):13.0,paywall_viewed,home" }
    let cut = try Self.proposal(["user_id,ts,event,screen"] + times)
    #expect(cut.unread?.hasPrefix("ts has minutes and seconds alone, such as 10:13.0") == true, "\(cut)")
  }

  /// The price is the amount that the customer paid, not the proceeds that reach the developer.
  @Test func proceedsAreNoPrices() throws {
    let lines = (1...24).map { "u\($0),\(Self.day($0)),subscription_started,pro_monthly,6.99,9.99" }
    let found = try Self.proposal(["user_id,ts,event,product_id,proceeds_usd,revenue_usd"] + lines)
    #expect(Self.path("price", found) == "revenue_usd", "\(found.fields)")
  }

  /// 12 users pay first, and a month later again by another name; or the other name comes an hour later.
  @Test(arguments: [("2026-02-", "10:00:00", true), ("2026-01-", "11:00:00", false)])
  func namesAfterFirstPaymentsAreRenewals(month: String, time: String, areRenewals: Bool) throws {
    let lines = (10...21).flatMap { user in
      [
        "u\(user),\(Self.day(user)),subscription_create,pro_monthly,9.99,USD",
        "u\(user),\(month)\(user)T\(time)Z,subscription_cycle,pro_monthly,9.99,USD",
      ]
    }
    let found = try Self.proposal(["user_id,ts,event,product_id,price,currency"] + lines)
    #expect((Self.kind("subscription_cycle", found) == .renewal) == areRenewals, "\(found.names)")
    let said = found.warnings.filter { $0.hasPrefix("subscription_cycle (12 records)") }
    #expect(said.count == 1 && said[0].contains("read as renewals") == areRenewals, "\(said)")
  }

  /// Announcements, holds and disputes bear the price of a subscription, too, as may anything beside renewals.
  @Test(arguments: [("renewal_reminder", "9.99", ""), ("zzz", "-9.99", ""), ("zzz", "9.99", "subscription_renewed")])
  func namesWithAPriceAreNoRenewals(name: String, price: String, other: String) throws {
    let lines = (10...21).flatMap { user in
      [
        "u\(user),\(Self.day(user)),subscription_started,pro_monthly,9.99,USD",
        "u\(user),2026-02-\(user)T10:00:00Z,\(name),pro_monthly,\(price),USD",
      ] + (other.isEmpty ? [] : ["u\(user),2026-02-\(user)T11:00:00Z,\(other),pro_monthly,9.99,USD"])
    }
    let found = try Self.proposal(["user_id,ts,event,product_id,price,currency"] + lines)
    #expect(Self.kind(name, found) != .renewal, "\(found.names)")
  }

  /// Values of Firestore name their type, so whole amounts and others are in one column.
  @Test func valuesOfFirestoreAreRead() throws {
    let lines = (1...24).map { user in
      let price = user % 2 == 0 ? #"{"integerValue":"10"}"# : #"{"doubleValue":9.99}"#
      return #"{"fields":{"uid":{"stringValue":"u\#(user)"},"at":{"timestampValue":"\#(Self.day(user))"},"#
        + #""type":{"stringValue":"subscription_started"},"sku":{"stringValue":"pro_monthly"},"price":\#(price)}}"#
    }
    let found = try #require(try ProposalTests.proposals([("data.ndjson", lines)])["data"])
    #expect(Self.path("price", found) == "fields.price" && Self.path("ts", found) == "fields.at", "\(found.fields)")
    #expect(found.warnings.filter { $0.contains("left out") }.isEmpty, "\(found.warnings)")
  }

  /// Days up to the twelfth of three months, in order of time with one reading alone; or those of one month, which are
  /// in order with both.
  @Test(arguments: [
    ([1, 2, 3], true, "month-first", false), ([1, 2, 3], false, "day-first", false), ([1], true, "day-first", true),
  ])
  func theOrderOfRecordsTellsThatOfDays(months: [Int], isMonthFirst: Bool, order: String, isAsked: Bool) throws {
    let days = months.flatMap { month in (5...12).map { (month, $0) } }.flatMap { [$0, $0, $0] }
    let lines = days.enumerated().map { place, date in
      "u\(place / 2),\(isMonthFirst ? "\(date.0)/\(date.1)" : "\(date.1)/\(date.0)")/2026 10:00,paywall_viewed,home"
    }
    let found = try Self.proposal(["user_id,ts,event,screen"] + lines)
    #expect(found.yaml.contains("\ndates: \(order)\n"), "\(found.yaml)")
    #expect(found.questions.contains { if case .dayOrder = $0 { true } else { false } } == isAsked)
    let note = found.notes.contains { $0.contains("are read \(order), which puts the records in order of time") }
    #expect(note != isAsked, "\(found.notes)")
  }

  /// Plans stand in the names of payments alone, and in that of trials or not.
  @Test(arguments: [("trial_started_yearly", ", trial_started_yearly: yearly"), ("trial_started", "")])
  func plansInNamesAreProducts(trial: String, ofTrials: String) throws {
    let lines = (1...20).flatMap { user in
      [
        "u\(user),\(Self.day(user)),\(trial),,", "u\(user),\(Self.day(user + 7)),purchase_yearly,59.99,USD",
        "v\(user),\(Self.day(user)),purchase_monthly,9.99,USD",
      ]
    }
    let found = try Self.proposal(["user_id,ts,event,price,currency"] + lines)
    let values = "purchase_monthly: monthly, purchase_yearly: yearly\(ofTrials), \"*\": null"
    #expect(found.yaml.contains("product_id: {path: event, values: {\(values)}}"), "\(found.yaml)")
    #expect((Self.kind(trial, found) == .trialStart) == !ofTrials.isEmpty, "\(found.warnings)")
    #expect(Self.kind("purchase_yearly", found) == .payment, "\(found.warnings)")
  }

  /// 20 users pay once, and have another amount three days later or before.
  @Test(arguments: [(3, "refund"), (-3, "conversion")])
  func amountsSoonAfterPaymentsMayBeRefunds(days: Int, kind: String) throws {
    let lines = (5...24).flatMap { user in
      [
        "u\(user),\(Self.day(user)),subscription_started,pro_monthly,9.99,USD",
        "u\(user),\(Self.day(user + days)),zzz,pro_monthly,9.99,USD",
      ]
    }
    let found = try Self.proposal(["user_id,ts,event,product_id,price,currency"] + lines)
    #expect(found.warnings.contains { $0.contains("`--event 'zzz=\(kind)'`") }, "\(found.warnings)")
  }

  /// Addresses are often written in several ways; ids in base 64 differ by letters, but not by them alone.
  @Test(arguments: [("A", true), ("b", false)])
  func idsThatDifferByCapitalsAreSaid(letter: String, isSaid: Bool) throws {
    let lines = (1...20).flatMap { user in
      [
        "a\(user)@b.example,\(Self.day(user)),paywall_viewed,home",
        "a\(user)@b.example,\(Self.day(user)),app_open,",
        "\(letter)\(user)@b.example,\(Self.day(user + 1)),app_open,",
      ]
    }
    let found = try Self.proposal(["email,ts,event,screen"] + lines)
    #expect(found.warnings.contains { $0.hasPrefix("email: 20 users have ids that differ by capital") } == isSaid)
  }

  /// A third of the payments has a name that no kind is sure of, and no column says that they are sold.
  @Test func paymentsBesidePlansInNamesAreLeftOut() throws {
    let lines = (1...30).flatMap { user in
      [
        "u\(user),\(Self.day(user)),paywall_viewed,",
        "u\(user),\(Self.day(user, "11:00:00")),\(user % 3 == 0 ? "zzz" : "purchase_yearly"),59.99",
      ]
    }
    let found = try Self.proposal(["user_id,ts,event,amount"] + lines)
    #expect(found.leftOut.map(\.name) == ["zzz"], "\(found.warnings)")
  }

  /// One zone for all records says that their times may be local; UTC says that they are not.
  @Test(arguments: [("Europe/Berlin", true), ("UTC", false), ("Etc/GMT", false), ("+0000", false)])
  func oneZoneOfAllRecordsIsSaid(zone: String, isSaid: Bool) throws {
    let lines = (1...20).flatMap { user in
      ["09", "11"].map { "u\(user),\(Self.day(user, "\($0):00:00").dropLast()),paywall_viewed,home,\(zone)" }
    }
    let found = try Self.proposal(["user_id,ts,event,screen,timezone"] + lines)
    #expect(found.warnings.contains { $0.hasPrefix("ts is read as UTC, though timezone has zones") } == isSaid)
  }
}

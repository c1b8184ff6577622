import EventModel
import Testing

@testable import Ingest

/// Exports whose variants are flags or numbers, and whose records come again. Each expected column is read off the lines.
@Suite struct FlagVariantTests: ProposalOfLines {
  private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

  /// Views and purchases of 24 users; a column has one value for the odd users and one for the others.
  private static func table(_ column: String, _ values: [String]) -> [String] {
    let lines = (1...24).flatMap { user in
      [
        "u\(user),2026-01-\(two(user))T10:00:00Z,paywall_viewed,home,\(values[user % values.count]),,,",
        "u\(user),2026-01-\(two(user))T10:05:00Z,subscription_started,,\(values[user % values.count]),pro_monthly,9.99,USD",
      ]
    }
    return ["user_id,time,event,source,\(column),product,price,currency"] + lines
  }

  /// A flag that is named after a paywall or a treatment tells variants, and one that is not does not.
  @Test(
    arguments: [
      ("new_paywall", ["t", "f"], true), ("is_treatment", ["true", "false"], true), ("paywall_v2", ["1", "0"], true),
      ("in_treatment_group", ["yes", "no"], true), ("has_push", ["t", "f"], false), ("saw_paywall", ["t", "f"], false),
      ("firebase_exp_7", ["0", "1"], true), ("[Experiment] redesign", ["on", "off"], true),
    ] as [(String, [String], Bool)])
  func flagsTellVariants(column: String, values: [String], isVariant: Bool) throws {
    let found = try Self.proposal(Self.table(column, values))
    #expect(
      Self.path("variant", found)?.contains(column) == (isVariant ? true : nil), "\(found.fields) \(found.notes)")
  }

  /// A table of users, with a flag beside the times.
  @Test func flagsOfUsersTellVariants() throws {
    let lines = (1...24).map { user in
      "u\(user),2026-01-\(Self.two(user))T10:00:00Z,2026-01-\(Self.two(user))T10:05:00Z,pro_monthly,9.99,USD,\(user % 2 == 0 ? "t" : "f")"
    }
    let header = "user_id,paywall_viewed_at,first_paid_at,product,price,currency,new_paywall"
    #expect(Self.path("variant", try Self.proposal([header] + lines)) == "new_paywall")
  }

  /// A cohort that all users share is no variant where an experiment has two.
  @Test func aSharedCohortIsNoVariant() throws {
    let lines = Self.table("[Experiment] redesign", ["on", "off"])
    let found = try Self.proposal(
      lines.enumerated().map { $0.element + ($0.offset == 0 ? ",cohort" : ",spring") })
    #expect(Self.path("variant", found)?.contains("redesign") == true, "\(found.fields)")
    #expect(found.yaml.contains(#"like: {"*": redesign}"#), "\(found.yaml)")
  }

  /// Twelve events, of which six were exported again on another day: the id says which.
  @Test(arguments: ["batch", "exported_at"])
  func recordsThatComeAgainCountOnce(column: String) throws {
    let lines = (1...12).map { user in
      "E\(user),u\(user % 5),2026-01-\(Self.two(user))T10:00:00Z,subscription_started,pro_monthly,9.99,USD"
    }
    let all = lines.map { $0 + ",2026-02-01T00:00:00Z" } + lines.prefix(6).map { $0 + ",2026-02-02T00:00:00Z" }
    let found = try Self.proposal(["id,user_id,time,event,product,price,currency,\(column)"] + all)
    #expect(Self.path("event_id", found) == "id" && found.yaml.contains("properties: none"), "\(found.yaml)")
  }

  /// A table of users in Polish, with prices in złoty.
  @Test func polishUsersAreRead() throws {
    let header =
      "klient;paywall_wyswietlony;poczatek_okresu_probnego;koniec_okresu_probnego;pierwsza_platnosc;cena;wariant"
    let lines = (1...12).map { user in
      let end = "2026-01-\(Self.two(user + 7)) 10:05:30"
      return
        "K\(10_000 + user);2026-01-\(Self.two(user)) 10:00:07;2026-01-\(Self.two(user)) 10:05:30;\(end);\(end);9,99 zł;a\(user % 2)"
    }
    let found = try Self.proposal([header] + lines)
    #expect(found.missing.isEmpty && Self.path("user_id", found) == "klient", "\(found.missing) \(found.fields)")
    #expect(found.names.compactMap(\.kind) == [.paywallImpression, .trialStart, .conversion], "\(found.names)")
    #expect(found.yaml.contains("like: {\"*zł*\": PLN}"), "\(found.yaml)")
  }

  /// 46027 is 5 January 2026 in days since 30 December 1899.
  @Test func daysOfSpreadsheetsMayHaveCommas() throws {
    let lines = (1...12).map { "u\($0);46027,\($0)5;paywall_viewed;home;\($0 % 2 == 0 ? "control" : "b")" }
    let found = try Self.proposal(["user;Zeit;event;source;variant"] + lines)
    #expect(found.missing.isEmpty && found.yaml.contains("dates: spreadsheet"), "\(found.missing) \(found.yaml)")
  }

  /// A column of offerings is the product where its names are those of plans.
  @Test func offeringsMayBeProducts() throws {
    let lines = Self.table("variant", ["a", "b"]).map { $0.replacing("product", with: "Offering") }
    #expect(Self.path("product_id", try Self.proposal(lines)) == "Offering")
  }
}

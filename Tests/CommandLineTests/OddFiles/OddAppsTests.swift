import Foundation
import Testing

/// Exports whose apps, times or words need care: files of one app that do not name it, absent times that are written.
@Suite struct OddAppsTests {
  /// Runs `init --yes` without a name for the app, and returns the funnel's first row: users, trial users, all payers.
  private static func funnel(_ files: [(name: String, lines: [String])]) throws -> (said: String, row: [String]) {
    try Folder.with { folder in
      for file in files { try folder.write(file.lines.joined(separator: "\n") + "\n", to: file.name) }
      let made = try Program.run(["init", "--yes", "--store", "t.db"] + files.map(\.name), in: folder.url)
      let table = try folder.run("funnel", "--store", "t.db", "--by", "none", "--format", "csv")
      let rows = table.output.split(separator: "\n").map { $0.split(separator: ",", omittingEmptySubsequences: false) }
      guard rows.count == 2 else { return ("\(made) \(table)", []) }
      let cells = Dictionary(zip(rows[0].map(String.init), rows[1].map(String.init))) { first, _ in first }
      let row = ["app", "users", "trial_users", "paid_users"].map { cells[$0] ?? "" }
      return (made.output + made.errors, row)
    }
  }

  /// Amplitude's ids of apps are numbers. u1 pays, and u99's view is too late.
  @Test func theIDOfAnAppMayBeANumber() throws {
    let lines = [
      #"{"app":345678,"event_type":"Paywall Viewed","event_time":"2026-01-05 08:00:00","user_id":"u1","$insert_id":"a"}"#,
      #"{"app":345678,"event_type":"Subscription Started","event_time":"2026-01-05 08:05:00","user_id":"u1","$insert_id":"b","event_properties":{"product_id":"pro_monthly","price":9.99,"currency":"USD"}}"#,
      #"{"app":345678,"event_type":"Paywall Viewed","event_time":"2026-02-28 08:00:00","user_id":"u99","$insert_id":"c"}"#,
    ]
    let found = try Self.funnel([("amplitude.json", lines)])
    #expect(found.row == ["345678", "1", "0", "1"], "\(found)")
  }

  /// RevenueCat's transactions name no app, so they are of that of the views: u1 starts a trial and pays.
  @Test func transactionsAreOfTheAppOfTheViews() throws {
    let head =
      "rc_original_app_user_id,product_identifier,start_time,end_time,store,is_auto_renewable,is_trial_period,"
      + "is_sandbox,price_in_usd,store_transaction_id,original_store_transaction_id,purchased_currency,"
      + "price_in_purchased_currency,renewal_number,is_trial_conversion"
    let found = try Self.funnel([
      (
        "transactions.csv",
        [
          head,
          "u1,pro_monthly,2026-01-05 08:05:00,2026-01-12 08:05:00,app_store,true,true,false,0,t1,t1,USD,0,1,false",
          "u1,pro_monthly,2026-01-12 08:05:00,2026-02-12 08:05:00,app_store,true,false,false,9.99,t2,t1,USD,9.99,2,true",
        ]
      ),
      (
        "paywalls.csv",
        [
          "user_id,event,timestamp,entry_point", "u1,paywall_viewed,2026-01-05T08:00:00Z,settings",
          "u99,paywall_viewed,2026-02-28T08:00:00Z,settings",
        ]
      ),
    ])
    #expect(found.row.dropFirst() == ["1", "1", "1"], "\(found)")
    #expect(!found.said.contains("have no paywall view of the same user"), "\(found.said)")
  }

  /// Databases write a day long past where a time is absent: u1 pays after a trial, u2 buys, u3 does nothing.
  @Test(arguments: ["1970-01-01 00:00:00", "0000-00-00 00:00:00", "0001-01-01T00:00:00Z", "1970-01-01"])
  func aTimeLongPastIsNone(none: String) throws {
    let lines = [
      "user_id,first_paywall_at,trial_started_at,trial_ends_at,first_payment_at,product_id,price,currency",
      "u1,2026-01-05 08:00:00,2026-01-05 08:05:00,2026-01-12 08:05:00,2026-01-12 08:06:00,pro_monthly,9.99,USD",
      "u2,2026-01-05 08:00:00,\(none),\(none),2026-01-05 08:09:00,pro_yearly,59.99,USD",
      "u3,2026-01-05 08:00:00,\(none),\(none),\(none),,,", "u99,2026-02-28 08:00:00,\(none),\(none),\(none),,,",
    ]
    let found = try OddFile(lines).read()
    #expect(found.funnel == [3, 1, 1, 1, 2], "\(found)")
  }

  /// A German table with a row for each user.
  @Test func momentsMayHaveGermanNames() throws {
    let lines = [
      "Kunden-ID;Paywall gesehen am;Testphase begonnen am;Testphase endet am;Erste Zahlung am;Produkt;Preis;Währung;Gekündigt am",
      "u1;05.01.2026;05.01.2026;12.01.2026;12.01.2026;pro_monthly;9,99;EUR;",
      "u2;05.01.2026;;;05.01.2026;pro_yearly;59,99;EUR;",
      "u3;05.01.2026;05.01.2026;12.01.2026;;pro_monthly;;;07.01.2026",
      "u99;28.02.2026;;;;;;;",
    ]
    let found = try OddFile(lines).read()
    #expect(found.funnel == [3, 2, 1, 1, 2], "\(found)")
  }
}

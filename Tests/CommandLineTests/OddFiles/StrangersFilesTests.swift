import Foundation
import Testing

/// The errors and next steps of `init` for files that it cannot read alone.
@Suite struct StrangersFilesTests {
  private static func day(_ user: Int) -> String { "2026-01-\(user < 10 ? "0" : "")\(user)" }

  /// 24 paywall views.
  private static let views =
    "user_id,event,timestamp,source,variant\n"
    + (1...24).map { "u\($0),paywall_viewed,\(day($0))T10:00:00Z,home,\($0 % 2 == 0 ? "control" : "b")\n" }.joined()

  /// A code means nothing, but the message lists the codes, and following it gives the events.
  @Test func namesThatAreNotKnownAreListed() throws {
    try Folder.with { folder in
      let lines = (1...24).map { "u\($0 % 9),\(Self.day($0))T10:00:00Z,E\(100 + $0 % 3),\($0)\n" }.joined()
      try folder.write("user_id,time,code,n\n" + lines, to: "log.csv")
      let failed = try folder.run("init", "--yes", "--app", "notes", "log.csv")
      #expect(failed.status == 2)
      #expect(
        failed.errors.contains("Its values are E100 (8), E101 (8), E102 (8). Add `--event E100=KIND`"),
        "\(failed.errors)")
      let result = try folder.run(
        "init", "--yes", "--set", "event=code", "--event", "E100=paywall_impression", "--app", "notes", "log.csv")
      #expect(result.status == 0 && result.output.contains("8 events"), "\(result.output)\(result.errors)")
    }
  }

  /// Files without events: each message says what the file is and how to go on.
  @Test(
    arguments: [
      ("", "has no records"), ("user_id,event,time\n", "has only a header"),
      ("[]\n", "has no records that can be read"),
      ("\u{1}\u{0}\u{2}\u{0}\u{0}\u{3}", "is binary"), ("%PDF-1.7\n1 0 obj\n", "is a PDF document"),
      ("<!DOCTYPE html>\n<html><body>Sign in</body></html>\n", "is a web page"),
      ("-- PostgreSQL database dump\nCREATE TABLE e (id int, n text);\n", "is an SQL dump"),
    ])
  func filesWithoutEventsSayTheNextStep(text: String, what: String) throws {
    try Folder.with { folder in
      try folder.write(text, to: "export.csv")
      let failed = try folder.run("init", "--yes", "export.csv")
      #expect(failed.status == 3 && failed.errors.contains(what), "\(failed.errors)")
      #expect(failed.errors.contains("as CSV") && failed.errors.contains("then `tollgate init"), "\(failed.errors)")
    }
  }

  /// A mapping in a folder that is not there, and bytes that are text in no encoding.
  @Test func placesAndBytesThatCannotBeUsedAreSaid() throws {
    try Folder.with { folder in
      try folder.write(Self.views, to: "views.csv")
      let failed = try folder.run("init", "--yes", "--mapping", "none/m.yaml", "views.csv")
      #expect(
        failed.status == 2
          && failed.errors.contains("none/m.yaml: cannot be written: there is no such file or folder; write"),
        "\(failed.errors)")
      let bytes = Data((0..<4_000).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ $0 / 7) })
      try bytes.write(to: folder.url.appendingPathComponent("photo.csv"))
      let binary = try folder.run("init", "--yes", "photo.csv")
      #expect(
        binary.status == 3 && binary.errors.contains("photo.csv: nothing ingested: is binary"), "\(binary.errors)")
    }
  }

  /// Users with variants and without times are no events; the command adds the variants to the other file.
  @Test func variantsOfUsersAreAddedToEvents() throws {
    try Folder.with { folder in
      try folder.write(Self.views.replacing(",variant\n", with: ",v\n"), to: "events.csv")
      try folder.write(
        "user_id,variant\n" + (1...24).map { "u\($0),\($0 % 2 == 0 ? "control" : "b")\n" }.joined(),
        to: "assignments.csv")
      let failed = try folder.run("init", "--yes", "--app", "notes", "events.csv", "assignments.csv")
      #expect(
        failed.status == 2 && failed.errors.contains("assignments.csv: has users and their variants, but no times"))
      // As a shell reads it.
      let query = failed.errors.replacing("'\\''", with: "'")
      #expect(
        query.contains(
          #"COPY (SELECT e.*, v."variant" AS variant FROM 'events.csv' e LEFT JOIN 'assignments.csv' v USING ("user_id")) TO "#
        ),
        "\(failed.errors)")
      #expect(failed.errors.contains(" && tollgate init --yes --app notes events-variants.csv`"), "\(failed.errors)")
    }
  }

  /// A webhook of RevenueCat names its app; the views are of the app that is assumed, so one funnel cannot count both. Adapty's
  /// events name none and are of the app of the views.
  @Test func filesOfTwoAppsAreSaid() throws {
    try Folder.with { folder in
      try folder.write(Self.views, to: "views.csv")
      let events = (1...12).map { user in
        #"{"api_version":"1.0","event":{"id":"e\#(user)","type":"INITIAL_PURCHASE","app_id":"app7f","app_user_id":"u\#(user)","#
          + #""event_timestamp_ms":\#(1_767_225_600_000 + user * 86_400_000 + 36_060_000),"purchased_at_ms":"#
          + #"\#(1_767_225_600_000 + (user - 1) * 86_400_000 + 36_060_000),"expiration_at_ms":1772323200000,"#
          + #""product_id":"pro.monthly","period_type":"NORMAL","price":9.99,"price_in_purchased_currency":9.99,"#
          + #""currency":"USD","environment":"PRODUCTION","store":"APP_STORE","transaction_id":"t\#(user)","#
          + #""original_transaction_id":"o\#(user)"}}"#
      }
      try folder.write(events.joined(separator: "\n") + "\n", to: "webhooks.ndjson")
      let result = try folder.run("init", "--yes", "webhooks.ndjson", "views.csv")
      #expect(
        result.output.contains("! webhooks.ndjson is of the app app7f, and for views.csv the app"), "\(result.output)")
      #expect(result.output.contains("--store new.db --app app7f webhooks.ndjson views.csv"), "\(result.output)")
      let one = try folder.run(
        "init", "--yes", "--force", "--store", "one.db", "--app", "app7f", "webhooks.ndjson", "views.csv")
      #expect(one.status == 0 && !one.output.contains("is of the app"), "\(one.output)\(one.errors)")
    }
  }

  /// An option for the time of one file leaves the other one alone: 24 views and 12 payments, an hour cut.
  @Test func aValueIsOfTheFileThatHasItsColumn() throws {
    try Folder.with { folder in
      try folder.write(Self.views.replacing("T10:00:00Z", with: "T10:20:07Z"), to: "views.csv")
      let lines = (1...24).map { "p\($0),u\($0),\(Self.day($0)) 10:00,pro.monthly,9.99,USD\n" }.joined()
      try folder.write("id,user_id,paid_on,product,amount,currency\n" + lines, to: "payments.csv")
      let option = "ts={path: paid_on, cut: hour}"
      let said = try folder.run("init", "--no-ingest", "--app", "notes", "views.csv", "payments.csv")
      #expect(said.output.contains("`--set '\(option)'`"), "\(said.output)")
      let read = try folder.run(
        "init", "--yes", "--force", "--history", "complete", "--set", option, "--app", "notes", "views.csv",
        "payments.csv")
      #expect(read.status == 0 && read.output.contains("24 events"), "\(read.output)\(read.errors)")
      let funnel = try folder.run(
        "funnel", "--by", "none", "--as-of", "2026-06-01T00:00:00Z", "--format", "csv", "--columns", "users,paid_users")
      #expect(funnel.output.contains("24,24"), "\(funnel.output)")
    }
  }

  @Test func aServiceWithoutAnAppTakesThatOfTheOtherFile() throws {
    try Folder.with { folder in
      try folder.write(Self.views, to: "views.csv")
      let header =
        "profile_id,customer_user_id,event_type,event_datetime,transaction_id,original_transaction_id,"
        + "subscription_expires_at,environment,revenue_usd,store,product_id\n"
      let lines = (1...12).map { user in
        "p\(user),u\(user),subscription_started,\(Self.day(user))T10:05:00.000000+0000,t\(user),t\(user),"
          + "2026-02-\(user < 10 ? "0" : "")\(user)T10:05:00.000000+0000,Production,9.99,app_store,pro.monthly\n"
      }
      try folder.write(header + lines.joined(), to: "adapty.csv")
      #expect(try folder.run("init", "--yes", "adapty.csv", "views.csv").status == 0)
      let funnel = try folder.run(
        "funnel", "--by", "none", "--as-of", "2026-06-01T00:00:00Z", "--format", "csv", "--columns", "users,paid_users")
      // One app with 24 viewers, of whom 12 paid.
      #expect(
        funnel.output.split(separator: "\n").map { $0.split(separator: ",").suffix(2).joined(separator: ",") } == [
          "users,paid_users", "24,12",
        ], "\(funnel.output)\(funnel.errors)")
    }
  }
}

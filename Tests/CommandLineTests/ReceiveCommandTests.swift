import Foundation
import SigningSupport
import Testing

/// Webhooks from the socket to the store.
@Suite struct ReceiveCommandTests {
  private static let webhook =
    #"{"api_version":"1.0","event":{"type":"INITIAL_PURCHASE","id":"1","event_timestamp_ms":1772323260000,"app_id":"A","app_user_id":"a","product_id":"pro_monthly","period_type":"NORMAL","purchased_at_ms":1772323200000,"expiration_at_ms":1775001600000,"environment":"PRODUCTION","price_in_purchased_currency":6.99,"currency":"EUR","original_transaction_id":"T1","transaction_id":"T1","store":"APP_STORE"}}"#

  /// Returns a monthly renewal signed as the App Store does, field by field.
  private static func notification(
    _ chain: SigningChain, app: String = "com.example", signedDate: String = "1772323260000"
  ) throws -> String {
    let transaction = try chain.sign(
      #"{"transactionId":"T2","originalTransactionId":"T0","bundleId":"\#(app)","productId":"pro_monthly","purchaseDate":1772323200000,"originalPurchaseDate":1769644800000,"expiresDate":1775001600000,"type":"Auto-Renewable Subscription","signedDate":1772323201000,"environment":"Production","transactionReason":"RENEWAL","price":7990,"currency":"EUR","appAccountToken":"7e3fb20b-4cdb-47cc-936d-99d65f608138"}"#
    )
    let payload = try chain.sign(
      #"{"notificationType":"DID_RENEW","notificationUUID":"U","version":"2.0","signedDate":\#(signedDate),"data":{"bundleId":"\#(app)","environment":"Production","signedTransactionInfo":"\#(transaction)"}}"#
    )
    return #"{"signedPayload":"\#(payload)"}"#
  }

  @Test func whatIsPostedIsIngested() async throws {
    let signedAt = Date(timeIntervalSince1970: 1_772_323_260)
    let chain = try SigningChain(from: signedAt.addingTimeInterval(-86_400))
    let stranger = try SigningChain(from: signedAt.addingTimeInterval(-86_400))
    let folder = try Folder()
    defer { folder.remove() }
    try Data(try SigningChain.der(chain.root)).write(to: folder.url.appendingPathComponent("root.der"))
    let program = try RunningProgram(
      [
        "receive", "--output", "inbox", "--app-store", "--root-certificate", "root.der", "--bundle-id", "com.example",
        "--max-body", "20000",
      ], environment: ["TOLLGATE_REVENUECAT_TOKEN": "secret"], in: folder)
    let token = ["Authorization": "Bearer secret"]
    #expect(try await program.get("/healthz").status == 200)
    #expect(try await program.post("/revenuecat", Self.webhook, headers: token).status == 200)
    #expect(try await program.post("/appstore", Self.notification(chain)).status == 200)
    for (status, path, body, headers) in [
      (401, "/revenuecat", Self.webhook, [:]), (401, "/revenuecat", Self.webhook, ["Authorization": "other"]),
      (401, "/appstore", try Self.notification(stranger), [:]),
      (401, "/appstore", try Self.notification(chain, app: "com.other"), [:]),
      // Signed by a stranger, and with a date beyond the range of certificates.
      (401, "/appstore", try Self.notification(stranger, signedDate: "253402300800000"), [:]),
      (401, "/appstore", try Self.notification(chain, signedDate: "9223372036854775807"), [:]),
      (401, "/appstore", Self.webhook, token), (400, "/revenuecat", "no JSON", token),
      (413, "/revenuecat", #"{"x":"\#(String(repeating: "x", count: 20_000))"}"#, token), (404, "/", "{}", token),
    ] {
      let answer = try await program.post(path, body, headers: headers)
      #expect(answer.status == status && answer.body.hasPrefix(#"{"error":""#), "\(path): \(answer)")
    }
    let end = try program.terminate()
    #expect(end.status == 0 && end.errors.hasSuffix("2 bodies in 2 files\n"), "\(end.errors)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("inbox")).count == 2)
    let ingest = try folder.run(
      "ingest", "--app", "steps", "--verify", "--root-certificate", "root.der", "--strict", "inbox")
    #expect(ingest.output.hasPrefix("2 files (0 skipped, 0 failed), 2 events, 0 duplicates, 0 rejected, "))
    let revenue = try folder.run("revenue", "--by", "none", "--format", "csv")
    #expect(revenue.output.contains("steps,EUR,2,0,14.98,"), "\(revenue.output)")
  }

  @Test func moreThanTheRateIsRefused() async throws {
    let folder = try Folder()
    defer { folder.remove() }
    let program = try RunningProgram(
      ["receive", "--output", "inbox", "--rate", "2"], environment: ["TOLLGATE_REVENUECAT_TOKEN": "secret"], in: folder)
    var statuses: [Int: Int] = [:]
    for _ in 0..<20 {
      let answer = try await program.post("/revenuecat", "{}", headers: ["Authorization": "secret"])
      statuses[answer.status, default: 0] += 1
      if answer.status == 429 { #expect(answer.headers["retry-after"] == "1") }
    }
    #expect(Set(statuses.keys) == [200, 429] && statuses[200, default: 0] >= 2)
    // Rejected requests do not use up the limits of others.
    #expect(try await program.post("/revenuecat", "{}").status == 401)
    #expect(try program.terminate().errors.contains("\(statuses[200, default: 0]) bodies in 1 file"))
  }
}

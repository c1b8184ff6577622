import EventModel
import EventSupport
import FolderSupport
import Foundation
import Testing

@testable import Ingest

extension Reading {
  /// Reads one vendor file.
  init(_ content: String, as source: EventSource = .auto, app: String? = nil, plans: [String: String] = [:]) throws {
    try self.init(Array(content.utf8), SourceSettings(source: source, app: app, plans: plans))
  }

  init(_ content: [UInt8], _ settings: SourceSettings, block: Int = 4_096, chunk: Int = 65_536) throws {
    let folder = try TemporaryDirectory()
    try self.init(
      BatchReader(
        inputs: try InputFile.discover([try folder.write(content, to: "file")]), sources: settings, knownDigests: [],
        batchRecordLimit: 131_072, batchByteLimit: 64 << 20, blockByteCount: block, chunkByteCount: chunk))
  }

  /// Returns each event as `kind 2026-03-01T00:00:00.000Z user`, followed by the requested values.
  func lines(_ more: KeyPath<Event, String?>...) -> [String] {
    events.map { event in
      ([event.kind.name, "\(event.ts)", event.userID] + more.map { event[keyPath: $0] ?? "-" }).joined(separator: " ")
    }
  }

  var kinds: [String] { events.map(\.kind.name) }
  /// The types that are not mapped.
  var notMapped: [String] { rejected.filter { $0.reason == "not mapped" }.map { $0.field ?? "" } }
}

extension Event {
  /// The price in units with its own decimals, and the currency.
  var money: String? { price.map { "\(Double($0) / 1e6) \(currency ?? "-")" } }
  var expires: String? { expiresAt?.description }
  var trialEnds: String? { trialEndsAt?.description }
  var planName: String? { plan?.name }
}

/// Reads payloads that their vendors document.
enum SharedPayloads {
  static func path(_ name: String) -> String { SharedFolder.url(of: "data/\(name)").path }

  static func read(_ name: String, _ settings: SourceSettings = SourceSettings()) throws -> Reading {
    try Reading(BatchReader(inputs: try InputFile.discover([path(name)]), sources: settings))
  }
}

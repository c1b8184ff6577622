#if DEBUG || TOLLGATE_FUZZ
  import Basics
  import EventModel
  @testable import Ingest

  /// Writes events again, as a line of JSON and as a record of CSV, and reads them back.
  final class Reencoding {
    private let decoder = EventDecoder()!

    /// - Returns: How many events the batch has.
    func check(_ batch: EventBatch) throws(FuzzProblem) -> Int {
      for record in batch.records {
        let json = batch.canonicalJSON(of: record)
        try check(json, decoder, json, "JSON")
        let (header, row) = try csv(json)
        guard let reader = EventDecoder(csvHeader: header) else {
          throw FuzzProblem("not read as a CSV header: \(text(header))")
        }
        try check(json, reader, row, "CSV under \(text(header))")
      }
      return batch.records.count
    }

    private func check(
      _ json: [UInt8], _ decoder: EventDecoder, _ line: [UInt8], _ form: String
    ) throws(FuzzProblem) {
      if let rejected = decoder.decode(line, number: 1) {
        throw FuzzProblem("\(rejected.reason) of an accepted event, again as \(form): \(text(line))")
      }
      let batch = decoder.takeBatch()
      guard batch.records.count == 1 else { throw FuzzProblem("\(batch.records.count) events of one") }
      let again = batch.canonicalJSON(of: batch.records[0])
      if again != json { throw FuzzProblem("\(text(json)) is \(text(again)) when read again as \(form)") }
    }

    /// Every member a column, quoted where need be and where not.
    private func csv(_ json: [UInt8]) throws(FuzzProblem) -> (header: [UInt8], row: [UInt8]) {
      guard let members = JSONNode(parsing: json)?.members else {
        throw FuzzProblem("an event whose JSON is none: \(text(json))")
      }
      let row = members.map { member in
        let cell =
          switch member.value {
          case .string(let text), .number(let text): text
          default: String(decoding: member.value.json, as: UTF8.self)
          }
        return Array("\"".utf8) + cell.utf8.flatMap { $0 == 0x22 ? [0x22, 0x22] : [$0] } + Array("\"".utf8)
      }
      return (Array(members.map(\.name).joined(separator: ",").utf8), Array(row.joined(separator: [0x2C])))
    }

    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
  }
#endif

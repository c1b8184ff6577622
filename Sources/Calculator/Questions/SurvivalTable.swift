internal import Basics
internal import Statistics

/// Subjects from CSV text whose header has `time`, `event` and optionally `group`, in any order; other columns are
/// ignored.
///
/// `event` is 0 for subjects last seen without an event, else 1 or the number of the cause.
public struct SurvivalTable: Sendable {
  let records: [SurvivalRecord]
  /// The group names in byte order; one empty name if there is no such column.
  let groups: [String]
  let causes: Int

  /// - Throws: ``CalculatorError/invalid(_:)`` "line 3: time is …, but must be …".
  public init(csv text: String) throws(CalculatorError) {
    var lines = CSVRows(text)
    guard let header = lines.next() else {
      throw .invalid("line 1: is empty, but must be the header time,event or time,event,group")
    }
    let names = header.cells.map { $0.lowercased() }
    func column(_ name: String) -> Int? { names.firstIndex(of: name) }
    guard let time = column("time"), let event = column("event") else {
      throw .invalid("line 1: has the columns \(header.cells.joined(separator: ",")), but must have time and event")
    }
    let group = column("group")
    var subjects: [(time: Double, cause: Int, group: String)] = []
    while let row = lines.next() {
      func cell(_ place: Int) throws(CalculatorError) -> String {
        guard place < row.cells.count else {
          throw .invalid("line \(row.line): has \(row.cells.count) cells, but must have \(names.count)")
        }
        return row.cells[place]
      }
      let text = (time: try cell(time), event: try cell(event))
      guard let value = Double(text.time), value >= 0, value <= 1e100 else {
        throw .invalid("line \(row.line): time is \"\(text.time)\", but must be a number, 0 or more")
      }
      guard let cause = Int(text.event), (0...100).contains(cause) else {
        throw .invalid(
          "line \(row.line): event is \"\(text.event)\", but must be 0 (none yet), 1, or a cause up to 100")
      }
      subjects.append((value, cause, try group.map { place throws(CalculatorError) in try cell(place) } ?? ""))
    }
    guard !subjects.isEmpty else { throw .invalid("line 2: is missing; there must be one line a subject") }
    let labels = Set(subjects.map(\.group)).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    guard labels.count <= 100 else {
      throw .invalid("group has \(labels.count) values, but must have at most 100")
    }
    let places = Dictionary(uniqueKeysWithValues: labels.enumerated().map { ($1, $0) })
    records = subjects.map { SurvivalRecord(time: $0.time, cause: $0.cause, group: places[$0.group] ?? 0) }
    (groups, causes) = (labels, max(1, subjects.map(\.cause).max() ?? 1))
  }
}

/// The rows of a CSV text (RFC 4180), without blank lines.
private struct CSVRows {
  private let scalars: [Character]
  private var place = 0
  private var line = 1

  init(_ text: String) {
    scalars = Array(text.first == "\u{FEFF}" ? text.dropFirst() : Substring(text))
  }

  mutating func next() -> (line: Int, cells: [String])? {
    while place < scalars.count {
      let start = line
      let cells = row()
      if cells != [""] { return (start, cells) }
    }
    return nil
  }

  private mutating func row() -> [String] {
    var (cells, cell, isQuoted) = ([String](), "", false)
    while place < scalars.count {
      let character = scalars[place]
      place += 1
      if character.isNewline { line += 1 }
      if isQuoted {
        if character != "\"" {
          cell.append(character)
        } else if place < scalars.count, scalars[place] == "\"" {
          cell.append("\"")
          place += 1
        } else {
          isQuoted = false
        }
      } else if character == "\"", cell.isEmpty {
        isQuoted = true
      } else if character == "," {
        cells.append(cell)
        cell = ""
      } else if character.isNewline {
        break
      } else {
        cell.append(character)
      }
    }
    return (cells + [cell]).map(\.trimmed)
  }
}

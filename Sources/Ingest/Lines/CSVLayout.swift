internal import EventModel

/// The layout of a CSV file from its header: the delimiter and the field of each column.
final class CSVLayout {
  enum Column {
    /// The code of a known field.
    case field(UInt8)
    /// Any other name, which is a property.
    case property(UnsafeRawBufferPointer)
  }

  /// The delimiters that are found by themselves, in the order of preference.
  static let delimiters = [",", ";", "\t", "|"].compactMap(\.utf8.first)
  /// The delimiter of tables as databases print them, whose cells are padded with spaces.
  static let bar = UInt8(ascii: "|")

  /// Returns a text without spaces at its ends.
  static func trimmed(_ text: String) -> String {
    let start = text.firstIndex { $0 != " " } ?? text.endIndex
    let end = text.lastIndex { $0 != " " }.map { text.index(after: $0) } ?? start
    return String(text[start..<end])
  }

  let delimiter: UInt8
  private(set) var columns: [Column] = []
  /// The header line, without its line end.
  let header: [UInt8]
  /// Holds the bytes of property names at fixed addresses.
  private let names: UnsafeMutableRawBufferPointer

  /// Reads a line as the header of a CSV file.
  ///
  /// A header has at least two cells that name known fields, separated by `,`, `;`, tab or `|`; the delimiter that gives the
  /// most wins.
  ///
  /// - Returns: `nil` if the line is not such a header.
  /// - Throws: ``FileFailure`` if it is one but names a known field twice or is not UTF-8.
  static func read(header: [UInt8]) throws(FileFailure) -> CSVLayout? {
    let fields = Set(EventField.allCases.map { Array($0.name.utf8) })
    var best: (delimiter: UInt8, cells: [[UInt8]], known: [[UInt8]])?
    for delimiter in CSVLayout.delimiters {
      guard let cells = cells(of: header, delimiter: delimiter) else { continue }
      let known = cells.filter(fields.contains)
      if known.count >= 2, known.count > best?.known.count ?? 0 { best = (delimiter, cells, known) }
    }
    guard let best else { return nil }
    guard String(validating: header, as: UTF8.self) != nil, !header.contains(0) else {
      throw FileFailure("its header is not UTF-8 text; save the file as UTF-8")
    }
    var met: Set<[UInt8]> = []
    for name in best.known where !met.insert(name).inserted {
      let name = String(decoding: name, as: UTF8.self)
      throw FileFailure("its header names \(name) twice; expected every known field at most once")
    }
    return CSVLayout(header: header, delimiter: best.delimiter, cells: best.cells)
  }

  private init(header: [UInt8], delimiter: UInt8, cells: [[UInt8]]) {
    self.header = header
    self.delimiter = delimiter
    let codes = Dictionary(uniqueKeysWithValues: EventField.allCases.map { (Array($0.name.utf8), $0.rawValue) })
    names = UnsafeMutableRawBufferPointer.allocate(byteCount: header.count + LineBuffer.padding, alignment: 1)
    var used = 0
    for cell in cells {
      if let code = codes[cell] {
        columns.append(.field(code))
      } else {
        names[used..<used + cell.count].copyBytes(from: cell)
        columns.append(.property(UnsafeRawBufferPointer(rebasing: names[used..<used + cell.count])))
        used += cell.count
      }
    }
  }

  deinit { names.deallocate() }

  /// Returns the unquoted cells of a header line; `nil` if its quotes are wrong.
  static func cells(of header: [UInt8], delimiter: UInt8) -> [[UInt8]]? {
    var record = CSVRecord()
    var fields = LineFields()
    fields.begin(lineCount: header.count)
    return (header + [UInt8](repeating: 0, count: LineBuffer.padding)).withUnsafeBufferPointer { bytes in
      let start = bytes.baseAddress!
      let end = start + header.count
      guard case .complete = record.read(start, to: end, isLast: true, delimiter: delimiter, fields: &fields) else {
        return nil
      }
      return record.cells.map { Array($0.bytes) }
    }
  }
}

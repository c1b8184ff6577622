internal import Basics
internal import Metrics
internal import Reports

/// The parameters of an address: names with values, in order.
struct ViewQuery: Equatable {
  struct Item: Equatable {
    var name: String
    var value: String

    /// The dimension of a filter such as `country=DE` or `country!=DE`; `nil` where it is none.
    var filteredDimension: Dimension? {
      guard let equals = value.firstIndex(of: "=") else { return nil }
      let name = value[..<equals]
      return try? Dimension(name: String(name.hasSuffix("!") ? name.dropLast() : name))
    }
  }

  var items: [Item]

  init(_ items: [Item] = []) { self.items = items }

  /// Reads the part of an address behind `?`, as forms write it (WHATWG URL, "application/x-www-form-urlencoded").
  ///
  /// - Throws: ``ReportFault`` for bytes that are not percent-encoded UTF-8.
  init(_ text: String) throws(ReportFault) {
    items = []
    for part in text.split(separator: "&", omittingEmptySubsequences: true) {
      let equals = part.firstIndex(of: "=")
      guard let name = Self.decoded(part[..<(equals ?? part.endIndex)]),
        let value = equals.map({ Self.decoded(part[part.index(after: $0)...]) }) ?? ""
      else { throw ReportFault(.wrongArguments, "the address has bytes that are not percent-encoded UTF-8") }
      items.append(Item(name: name, value: value))
    }
  }

  func values(_ name: String) -> [String] { items.filter { $0.name == name && !$0.value.isEmpty }.map(\.value) }

  /// Whether a flag is set; one that is not given is not.
  func flag(_ name: String) throws(ReportFault) -> Bool {
    guard let value = values(name).last else { return false }
    switch value {
    case "true", "on", "1": return true
    case "false", "0": return false
    default: throw ReportFault(.wrongArguments, "\(name) is \(value), but must be true or false")
    }
  }

  func first(_ name: String) -> String? { values(name).first }

  /// Returns the query with the values of one name replaced, at the place of the first.
  func setting(_ name: String, to values: [String]) -> ViewQuery {
    var copy = ViewQuery(items.filter { $0.name != name })
    let place = min(items.firstIndex { $0.name == name } ?? copy.items.count, copy.items.count)
    copy.items.insert(contentsOf: values.map { Item(name: name, value: $0) }, at: place)
    return copy
  }

  func without(_ names: String...) -> ViewQuery { ViewQuery(items.filter { !names.contains($0.name) }) }

  /// The query without what pages alone have.
  var ofReport: ViewQuery { ViewQuery(items.filter { !PageDays.parameters.contains($0.name) }) }

  /// Returns the query of the days of a range.
  func of(_ days: Range<Int>) -> ViewQuery {
    setting("from", to: [PageDays.text(days.lowerBound)]).setting("to", to: [PageDays.text(days.upperBound)])
  }

  /// Returns the query with other rows: all of them, in the table's order.
  func rows(by dimensions: [String]) -> ViewQuery {
    setting("by", to: [dimensions.isEmpty ? "none" : dimensions.joined(separator: ",")]).without("sort", "limit")
  }

  /// Returns the query narrowed to values of a dimension; to all of them without any.
  func narrowed(to dimension: String, _ values: [String]) -> ViewQuery {
    // Values cannot be compared with others of the dimension once it has a filter.
    let others = items.filter { item in
      !["where", "compare"].contains(item.name) || item.filteredDimension?.name != dimension
    }
    if values.isEmpty { return ViewQuery(others) }
    let filters = ViewQuery(others).values("where") + ["\(dimension)=\(values.joined(separator: ","))"]
    return ViewQuery(others).setting("where", to: filters)
  }

  /// Returns the query without filters that a report does not take with these rows.
  func filters(takenBy kind: ReportKind, rows: [Dimension]?) -> ViewQuery {
    ViewQuery(
      items.filter { item in
        item.name != "where" || item.filteredDimension.map { kind.filters(by: $0, rows: rows) } ?? true
      })
  }

  /// As an address has it; empty values are left out.
  var text: String {
    items.filter { !$0.value.isEmpty }.map { "\(Self.encoded($0.name))=\(Self.encoded($0.value))" }
      .joined(separator: "&")
  }

  func link(_ path: String) -> String { text.isEmpty ? path : "\(path)?\(text)" }

  private static func decoded(_ text: Substring) -> String? {
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "+"): bytes.append(0x20)
      case UInt8(ascii: "%"):
        guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else { return nil }
        bytes.append(high << 4 | low)
      default: bytes.append(byte)
      }
    }
    return String(validating: bytes, as: UTF8.self)
  }

  private static func digit(_ byte: UInt8) -> UInt8? { Character(UnicodeScalar(byte)).hexDigitValue.map(UInt8.init) }

  private static func encoded(_ text: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      if byte.isASCIIAlphanumeric || "-_.,:".utf8.contains(byte) {
        bytes.append(byte)
      } else {
        bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension ViewQuery {
  /// The request that the query stands for.
  ///
  /// - Throws: ``ReportFault`` for a name that the view does not have: no address reaches options that read or write
  ///   files.
  func request(for view: ReportView) throws(ReportFault) -> ReportRequest {
    do {
      return try ReportRequest(view.kind, try given(for: view), view.aspect)
    } catch let fault as ReportFault {
      throw fault
    } catch {
      throw ReportFault(.wrongArguments, "\(error)")
    }
  }

  /// The command that prints the same, word by word, for people to copy.
  func words(for view: ReportView, format: ReportFormat = .table) throws(ReportFault) -> [String] {
    let own = format == .table ? [] : ["--format=\(format.rawValue)"]
    return view.kind.words(try given(for: view), view.aspect, own: own)
  }

  /// The texts of each of a view's options.
  private func given(for view: ReportView) throws(ReportFault) -> [ReportRequest.Given] {
    for item in items where !view.has(item.name) {
      let names = view.parameters.map(\.name).joined(separator: ", ")
      let hint = NearName.hint(item.name, in: view.parameters.map(\.name))
      throw ReportFault(.wrongArguments, "\(view.name) has no parameter \(item.name); expected \(names)\(hint)")
    }
    return view.parameters.map { ReportRequest.Given($0.name, values($0.name)) }
  }
}

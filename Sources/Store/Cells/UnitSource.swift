public import Lifecycle

/// A source of units grouped by the dimensions that they share, read from stored cells or collected for a report.
public protocol UnitSource {
  /// Returns the groups that have units of a family, in order, each with the dimensions of its units; others may be
  /// among them.
  func facets(of family: CellFamily) throws -> [(place: Int, facet: UnitFacet)]

  /// Calls `body` with the units of a family and facet, in the order of their UTC days. A cell is valid until the next
  /// call.
  ///
  /// - Parameters:
  ///   - facet: The place of the facet's group.
  ///   - days: Days since 1970.
  func forEachCell(
    _ family: CellFamily, facet: Int, days: ClosedRange<Int64>, _ body: (UnitCell) throws -> Void
  ) throws

  /// Returns the lengths of introductory trials in ms and the number of trials with each, ascending, by app.
  func trialLengths() throws -> [NameID: [(length: Int64, count: Int)]]
}

/// The dimensions that the units of a group share.
public struct UnitFacet: Sendable {
  /// The first cell key that the units are credited to.
  public var cellKey: CellKey
  /// Further cell keys that the units are credited to, with `--attribution all`.
  private var others: [CellKey] = []
  public var credits: [CellKey] { [cellKey] + others }
  /// The number of the client; 0 if clients are not kept apart.
  public var client: Int32
  /// The number of the property set; 0 if property sets are not kept apart.
  public var properties: Int32
  /// The person; 0 if persons are not kept apart.
  public var person: Int32

  public init(_ cellKey: CellKey, client: Int32 = 0, properties: Int32 = 0, person: Int32 = 0) {
    (self.cellKey, self.client, self.properties, self.person) = (cellKey, client, properties, person)
  }

  /// - Parameter credits: At least one cell key.
  public init(credits: [CellKey], client: Int32, properties: Int32, person: Int32 = 0) {
    self.init(credits[0], client: client, properties: properties, person: person)
    others = Array(credits.dropFirst())
  }
}

/// The dimensions, besides cell keys, that units are grouped by.
public struct UnitSplit: Sendable, Equatable {
  public var byClient = false
  public var byProperties = false
  public var byPerson = false
  /// Whether units are also grouped by day.
  public var byDay = false

  public init() {}

  /// Returns whether the groups of another split are sums of these.
  func covers(_ other: UnitSplit) -> Bool {
    var wider = other
    wider.byDay = byDay || other.byDay
    wider.byClient = byClient || other.byClient
    wider.byProperties = byProperties || other.byProperties
    return self == wider
  }
}

/// The units of one facet and day.
public struct UnitCell {
  enum Content {
    /// Units as ``UnitLayout`` encodes them.
    case bytes(UnsafeRawBufferPointer)
    case entries(UnsafeBufferPointer<EntryUnit>)
    case trials(UnsafeBufferPointer<TrialUnit>)
    case purchases(UnsafeBufferPointer<PurchaseUnit>)
  }

  /// Days since 1970, UTC.
  public let day: Int64
  let content: Content
  /// The instants at which a unit must have started to be visited.
  private var instants = Int64.min..<Int64.max

  /// Called where the bytes are no units.
  private let isMalformed: () -> Void
  /// The numbers of the clients that units may have.
  private let clients: ClosedRange<Int32>

  init(
    day: Int64, content: Content, clients: ClosedRange<Int32> = 0...Int32.max, isMalformed: @escaping () -> Void = {}
  ) {
    self.day = day
    self.content = content
    self.clients = clients
    self.isMalformed = isMalformed
  }

  /// Returns the cell limited to entries, trials and purchases that started at certain instants.
  public func during(_ instants: Range<Int64>) -> UnitCell {
    var cell = self
    cell.instants = instants
    return cell
  }

  @inline(__always)
  public func forEachEntry(_ body: (EntryUnit) -> Void) {
    if case .entries(let units) = content {
      for unit in units where instants.contains(unit.ts) { body(unit) }
    }
    forEachUnit(EntryUnit.layout) {
      let unit = EntryUnit($0, dayStart: $1)
      if instants.contains(unit.ts) { body(unit) }
    }
  }

  @inline(__always)
  public func forEachTrial(_ body: (TrialUnit) -> Void) {
    if case .trials(let units) = content {
      for unit in units where instants.contains(unit.start) { body(unit) }
    }
    forEachUnit(TrialUnit.layout) {
      let unit = TrialUnit($0, dayStart: $1)
      if instants.contains(unit.start) { body(unit) }
    }
  }

  @inline(__always)
  public func forEachPurchase(_ body: (PurchaseUnit) -> Void) {
    if case .purchases(let units) = content {
      for unit in units where instants.contains(unit.start) { body(unit) }
    }
    forEachUnit(PurchaseUnit.layout) {
      let unit = PurchaseUnit($0, dayStart: $1)
      if instants.contains(unit.start) { body(unit) }
    }
  }

  /// Replaces the contents of a list with the units, so that one list serves all cells.
  public func exposures(into units: inout [ExposureUnit]) {
    units.removeAll(keepingCapacity: true)
    forEachUnit(ExposureUnit.layout) { units.append(ExposureUnit($0, dayStart: $1)) }
    if units.allSatisfy({ clients.contains($0.client) }) { return }
    units.removeAll()
    isMalformed()
  }

  /// Replaces the contents of a list with the units, so that one list serves all cells.
  public func exposedTrials(into units: inout [ExposedTrialUnit]) {
    units.removeAll(keepingCapacity: true)
    forEachUnit(ExposedTrialUnit.layout) { units.append(ExposedTrialUnit($0, dayStart: $1)) }
  }

  /// Replaces the contents of a list with the units, so that one list serves all cells.
  public func exposedRevenues(into units: inout [ExposedRevenueUnit]) {
    units.removeAll(keepingCapacity: true)
    forEachUnit(ExposedRevenueUnit.layout) { units.append(ExposedRevenueUnit($0, dayStart: $1)) }
  }

  @inline(__always)
  private func forEachUnit(
    _ layout: UnitLayout, _ body: (_ fields: UnsafeMutablePointer<Int64>, _ dayStart: Int64) -> Void
  ) {
    guard case .bytes(let bytes) = content else { return }
    let dayStart = day * Lifecycle.day
    if !layout.forEach(in: bytes, { body($0, dayStart) }) { isMalformed() }
  }
}

public import Lifecycle

/// Units by what they have in common: stored as cells, or put together for a report.
public protocol UnitSource {
  /// What groups of units have in common.
  var facets: [UnitFacet] { get }

  /// Calls `body` with the units of a family and facet, in order of their UTC days; what they lie in is valid until the
  /// next call.
  ///
  /// - Parameters:
  ///   - facet: A place in ``facets``.
  ///   - days: Since 1970.
  func forEachCell(
    _ family: CellFamily, facet: Int, days: ClosedRange<Int64>, _ body: (UnitCell) throws -> Void
  ) throws

  /// The lengths of introductory trials in ms with how many have each, ascending, by app (definitions 3.3).
  func trialLengths() throws -> [NameID: [(length: Int64, count: Int)]]
}

/// What the units of a group have in common.
public struct UnitFacet: Sendable {
  /// The first that the units are credited to.
  public var segment: Segment
  /// All that the units are credited to (definitions 2.10): one, or with `--attribution all` at least one.
  public var credits: [Segment]
  /// 0 where units of several are together.
  public var client: Int32
  /// 0 where units of several are together.
  public var properties: Int32
  /// 0 where units of several are together.
  public var person: Int32

  public init(segment: Segment, client: Int32, properties: Int32) {
    self.init(credits: [segment], client: client, properties: properties)
  }

  /// - Parameter credits: At least one.
  init(credits: [Segment], client: Int32, properties: Int32, person: Int32 = 0) {
    segment = credits[0]
    self.credits = credits
    self.client = client
    self.properties = properties
    self.person = person
  }
}

/// What units are kept apart by, besides their segments.
public struct UnitSplit: Sendable {
  public var byClient = false
  public var byProperties = false
  public var byPerson = false
  /// Whether units of different days are.
  public var byDay = false

  public init() {}
}

/// Units of one facet and day.
public struct UnitCell {
  enum Content {
    /// See ``UnitLayout``.
    case bytes(UnsafeRawBufferPointer)
    case entries(UnsafeBufferPointer<EntryUnit>)
    case trials(UnsafeBufferPointer<TrialUnit>)
    case purchases(UnsafeBufferPointer<PurchaseUnit>)
  }

  /// Since 1970, UTC.
  public let day: Int64
  let content: Content
  /// The instants whose units are wanted.
  private var instants = Int64.min..<Int64.max

  /// Called where the bytes are no units.
  private let isMalformed: () -> Void

  init(day: Int64, content: Content, isMalformed: @escaping () -> Void = {}) {
    self.day = day
    self.content = content
    self.isMalformed = isMalformed
  }

  /// The cell with those of its units that began at certain instants: entries, trials and purchases.
  public func during(_ instants: Range<Int64>) -> UnitCell {
    var cell = self
    cell.instants = instants
    return cell
  }

  @inline(__always)
  public func forEachEntry(_ body: (EntryUnit) -> Void) {
    let dayStart = day * Lifecycle.day
    switch content {
    case .bytes(let bytes):
      let isSound = EntryUnit.layout.forEach(in: bytes) {
        let unit = EntryUnit($0, dayStart: dayStart)
        if instants.contains(unit.ts) { body(unit) }
      }
      if !isSound { isMalformed() }
    case .entries(let units): for unit in units where instants.contains(unit.ts) { body(unit) }
    case .trials, .purchases: break
    }
  }

  @inline(__always)
  public func forEachTrial(_ body: (TrialUnit) -> Void) {
    let dayStart = day * Lifecycle.day
    switch content {
    case .bytes(let bytes):
      let isSound = TrialUnit.layout.forEach(in: bytes) {
        let unit = TrialUnit($0, dayStart: dayStart)
        if instants.contains(unit.start) { body(unit) }
      }
      if !isSound { isMalformed() }
    case .trials(let units): for unit in units where instants.contains(unit.start) { body(unit) }
    case .entries, .purchases: break
    }
  }

  @inline(__always)
  public func forEachPurchase(_ body: (PurchaseUnit) -> Void) {
    let dayStart = day * Lifecycle.day
    switch content {
    case .bytes(let bytes):
      let isSound = PurchaseUnit.layout.forEach(in: bytes) {
        let unit = PurchaseUnit($0, dayStart: dayStart)
        if instants.contains(unit.start) { body(unit) }
      }
      if !isSound { isMalformed() }
    case .purchases(let units): for unit in units where instants.contains(unit.start) { body(unit) }
    case .entries, .trials: break
    }
  }

  /// Puts the units in the place of what a list has, so that one list serves all cells.
  public func exposures(into units: inout [ExposureUnit]) {
    units.removeAll(keepingCapacity: true)
    forEachUnit(ExposureUnit.layout) { units.append(ExposureUnit($0, dayStart: $1)) }
  }

  /// Puts the units in the place of what a list has, so that one list serves all cells.
  public func exposedTrials(into units: inout [ExposedTrialUnit]) {
    units.removeAll(keepingCapacity: true)
    forEachUnit(ExposedTrialUnit.layout) { units.append(ExposedTrialUnit($0, dayStart: $1)) }
  }

  /// Puts the units in the place of what a list has, so that one list serves all cells.
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

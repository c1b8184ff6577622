internal import Lifecycle
internal import Store

/// Counts of the exposed users, taken before the compared variants are known.
struct ExposureCensus {
  /// The users of one variant, without crossed users.
  struct Variant {
    var persons = 0
    /// Users by UTC day of the exposure, since 1970.
    var days: [Int64: Int] = [:]
    /// Users by number of the client.
    var clients: [Int] = []
  }

  private(set) var variants: [NameID: Variant] = [:]
  private(set) var crossed = 0
  private(set) var first = Int64.max
  private(set) var last = Int64.min

  /// The variant and the day being counted; users nearly always come in order of both.
  private var open: (id: NameID, variant: Variant)?
  private var openDay: (day: Int64, persons: Int) = (-1, 0)

  init(_ source: ExposureSource) throws {
    var census = ExposureCensus()
    try source.forEachExposure { id, unit, _ in census.add(id, unit) }
    census.closeVariant()
    self = census
  }

  private init() {}

  @inline(__always)
  private mutating func add(_ id: NameID, _ unit: ExposureUnit) {
    first = min(first, unit.ts)
    last = max(last, unit.ts)
    if unit.isCrossed {
      crossed += 1
      return
    }
    if id != open?.id {
      closeVariant()
      open = (id, variants.removeValue(forKey: id) ?? Variant())
    }
    let day = unit.ts / Lifecycle.day
    if day != openDay.day {
      closeDay()
      openDay.day = day
    }
    openDay.persons += 1
    open!.variant.persons += 1
    let client = Int(unit.client)
    if client >= open!.variant.clients.count {
      open!.variant.clients += repeatElement(0, count: client + 1 - open!.variant.clients.count)
    }
    open!.variant.clients[client] += 1
  }

  private mutating func closeDay() {
    if openDay.persons > 0 { open?.variant.days[openDay.day, default: 0] += openDay.persons }
    openDay.persons = 0
  }

  private mutating func closeVariant() {
    closeDay()
    if let open, open.variant.persons > 0 { variants[open.id] = open.variant }
    open = nil
  }
}

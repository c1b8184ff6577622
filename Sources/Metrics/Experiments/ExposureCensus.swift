internal import Lifecycle
internal import Store

/// Counts of the exposed persons, before it is known which variants are compared.
struct ExposureCensus {
  /// Of one variant, crossed persons left out.
  struct Variant {
    var persons = 0
    /// By UTC day of the exposure, since 1970.
    var days: [Int64: Int] = [:]
    /// By number of the client.
    var clients: [Int] = []
  }

  private(set) var variants: [NameID: Variant] = [:]
  private(set) var crossed = 0
  private(set) var first = Int64.max
  private(set) var last = Int64.min

  init(_ source: ExposureSource) throws {
    var (known, variant, dayNumber, onDay) = (NameID?.none, Variant(), Int64(-1), 0)
    var (variants, crossed, first, last) = ([NameID: Variant](), 0, Int64.max, Int64.min)
    func closeDay() {
      if onDay > 0 { variant.days[dayNumber, default: 0] += onDay }
      onDay = 0
    }
    func closeVariant() {
      closeDay()
      if let known, variant.persons > 0 { variants[known] = variant }
    }
    try source.forEachExposure { id, unit, _ in
      first = min(first, unit.ts)
      last = max(last, unit.ts)
      if unit.isCrossed {
        crossed += 1
        return
      }
      if id != known {
        closeVariant()
        known = id
        variant = variants.removeValue(forKey: id) ?? Variant()
      }
      let number = unit.ts / day
      if number != dayNumber {
        closeDay()
        dayNumber = number
      }
      onDay += 1
      variant.persons += 1
      let client = Int(unit.client)
      if client >= variant.clients.count {
        variant.clients += repeatElement(0, count: client + 1 - variant.clients.count)
      }
      variant.clients[client] += 1
    }
    closeVariant()
    (self.variants, self.crossed, self.first, self.last) = (variants, crossed, first, last)
  }
}

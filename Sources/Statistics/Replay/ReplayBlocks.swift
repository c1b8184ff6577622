/// Past users in blocks of at most 64 of one day: one draw of 64 bits assigns a block.
struct ReplayBlocks {
  struct Block {
    var size: Int
    /// Who converted, a bit each.
    var converted: UInt64
    /// Who paid: bit, revenue, and revenue after the cap.
    var payments: [(bit: UInt64, revenue: Double, capped: Double)]
  }

  /// Ascending in time; those of a day are `days[d]`.
  private(set) var blocks: [Block] = []
  private(set) var days: [Range<Int>] = []
  /// Users up to each day, as a share of all.
  private(set) var shares: [Double] = []
  private(set) var conversions = 0

  init(_ people: [ReplayPerson]) {
    let cap = winsorisingCap(pooled: people.map(\.revenue)) ?? 0
    let byDay = Dictionary(grouping: people, by: \.day)
    var users = 0
    for day in byDay.keys.sorted() {
      let start = blocks.count
      let members = byDay[day] ?? []
      for first in stride(from: 0, to: members.count, by: 64) {
        let part = members[first..<min(first + 64, members.count)]
        var block = Block(size: part.count, converted: 0, payments: [])
        for (place, person) in part.enumerated() {
          let bit = UInt64(1) << UInt64(place)
          if person.isConverted { block.converted |= bit }
          if person.revenue != 0 { block.payments.append((bit, person.revenue, min(person.revenue, cap))) }
        }
        conversions += block.converted.nonzeroBitCount
        blocks.append(block)
      }
      users += members.count
      days.append(start..<blocks.count)
      shares.append(Double(users) / Double(people.count))
    }
  }
}

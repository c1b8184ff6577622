/// Past users in blocks of at most 64 of one day, so that one draw of 64 bits assigns a block.
struct ReplayBlocks {
  struct Block {
    var size: Int
    /// The users who converted, a bit each.
    var converted: UInt64
    /// The users who were active before, a bit each.
    var active: UInt64
    /// The users who paid, before or after.
    var payments: [Payment]
  }

  struct Payment {
    var bit: UInt64
    var revenue: Double
    var capped: Double
    var before: Double
    var isPayer: Bool
  }

  /// In time order; the blocks of day d are `days[d]`.
  private(set) var blocks: [Block] = []
  private(set) var days: [Range<Int>] = []
  /// Users up to each day, as a share of all.
  private(set) var shares: [Double] = []
  private(set) var conversions = 0
  /// Whether any user was active before, and whether any user paid.
  private(set) var hasActivity = false
  private(set) var hasRevenueBefore = false

  init(_ people: [ReplayPerson]) {
    let cap = winsorisingCap(pooled: people.map(\.revenue)) ?? 0
    let byDay = Dictionary(grouping: people, by: \.day)
    var users = 0
    for day in byDay.keys.sorted() {
      let start = blocks.count
      let members = byDay[day] ?? []
      for first in stride(from: 0, to: members.count, by: 64) {
        let part = members[first..<min(first + 64, members.count)]
        var block = Block(size: part.count, converted: 0, active: 0, payments: [])
        for (place, person) in part.enumerated() {
          let bit = UInt64(1) << UInt64(place)
          if person.isConverted { block.converted |= bit }
          if person.wasActive { block.active |= bit }
          if person.revenue != 0 || person.revenueBefore != 0 || person.hasPaid {
            block.payments.append(
              Payment(
                bit: bit, revenue: person.revenue, capped: min(person.revenue, cap), before: person.revenueBefore,
                isPayer: person.hasPaid))
          }
          if person.revenueBefore != 0 { hasRevenueBefore = true }
        }
        if block.active != 0 { hasActivity = true }
        conversions += block.converted.nonzeroBitCount
        blocks.append(block)
      }
      users += members.count
      days.append(start..<blocks.count)
      shares.append(Double(users) / Double(people.count))
    }
  }
}

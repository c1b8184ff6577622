internal import GRDB
internal import Lifecycle

/// Reads spells, payments and refunds of all persons in one pass.
public final class PaymentHistoryReader {
  /// The error for payments of purchases that the facts lack, or the other way round.
  public static var disagree: any Error { PaymentHistory.disagree }

  private let source: FactSource
  private let withEntries: Bool
  private let persons: UserSet?
  private let cellKeys: CellKeyNumbers
  /// `nil` if no person is recomputed, or if a spell may be credited to several contexts.
  private let recomputed: RecomputedMoney?

  /// - Parameters:
  ///   - source: The facts to read, including recomputed ones.
  ///   - withEntries: Whether to read funnel entries, too.
  ///   - withUnits: Whether the units of the source are read next, so that persons are folded once for both.
  ///   - persons: The only persons that are wanted; `nil` for all.
  public init(
    _ source: FactSource, withEntries: Bool = false, withUnits: Bool = false, of persons: UserSet? = nil
  ) throws {
    self.persons = persons
    self.source = source
    self.withEntries = withEntries
    recomputed = try source.recomputedMoney(of: persons, withUnits: withUnits)
    cellKeys = try recomputed?.cellKeys ?? CellKeyNumbers(source.db, schema: "main")
  }

  public func cellKey(_ number: Int32) -> CellKey { cellKeys.cellKey(number) }

  /// Calls `body` with each person that has a spell or (if entries are read) an entry, in all apps that the facts
  /// cover.
  ///
  /// - Parameter isWanted: Persons for whom it returns `false` may be left out; if entries are read, all persons are
  ///   wanted.
  public func forEachPerson(
    where isWanted: ((Int32) -> Bool)? = nil, _ body: (borrowing PersonMoney) throws -> Void
  ) throws {
    let isWanted = isWanted ?? { self.persons?.contains($0) ?? true }
    let plan = source.isRecomputed ? try source.keptPlan() : nil
    try forEachStored(except: plan, where: isWanted, body)
    guard let plan else { return }
    if let recomputed {
      try recomputed.forEach(where: { source.reads($0) && (withEntries || isWanted($0)) }, body)
      return
    }
    var money = PersonMoney()
    try source.recompute.forEachPerson(plan, source.dictionaries()) { person, app, facts, _ in
      guard source.reads(person) else { return }
      money.set(person, facts, app: app, cellKeys)
      try body(money)
    }
  }

  private func forEachStored(
    except plan: RecomputePlan?, where isWanted: (Int32) -> Bool, _ body: (borrowing PersonMoney) throws -> Void
  ) throws {
    let isAsked = [false] + cellKeys.cellKeys.map { source.asOf[$0.app] != nil }
    let greatest = try StoredEntries(source.db).ofUnits()
    let entries = try withEntries ? Entries(source.db, greatest: greatest.user) : nil
    let credits = try source.options.attribution == .all ? Credits(source.db) : nil
    var money = PersonMoney()
    /// Returns whether the person is read, belongs to a requested app and has not been recomputed.
    func isOwn(_ money: borrowing PersonMoney) -> Bool {
      if let plan, plan.stale.contains(money.person) { return false }
      guard source.reads(money.person) else { return false }
      guard let cellKey = money.entry ?? money.credits.first?.cellKey else { return false }
      return isAsked.indices.contains(Int(cellKey)) && isAsked[Int(cellKey)]
    }
    let blocks = try SQLiteStatement(source.db, "SELECT id, persons FROM main.money_block ORDER BY id")
    var last = Int64.min
    while try blocks.step() {
      guard blocks.int64(0) > last else { throw PaymentHistory.malformed }
      last = blocks.int64(0)
      var walk = PaymentHistory.Walk(row: blocks.int64(0), blocks.bytes(1))
      while let bytes = try walk.next() {
        while let entries, entries.person < walk.person {
          try entries.take(into: &money)
          if isOwn(money) { try body(money) }
        }
        if entries == nil, !isWanted(walk.person) { continue }
        guard walk.person > 0, walk.person <= greatest.user else { throw PaymentHistory.malformed }
        try money.decode(bytes)
        money.person = walk.person
        try credits?.take(into: &money)
        let isSound = money.credits.allSatisfy { credit in
          isAsked.indices.contains(Int(credit.cellKey)) && credit.cellKey > 0
            && (0...greatest.client).contains(credit.client) && (0...greatest.properties).contains(credit.properties)
        }
        guard isSound else { throw PaymentHistory.malformed }
        if let entries, entries.person == walk.person { try money.entry = entries.takeCellKey() }
        if isOwn(money) { try body(money) }
      }
    }
    while let entries, entries.person < .max {
      try entries.take(into: &money)
      if isOwn(money) { try body(money) }
    }
  }

  /// The contexts of spells that are credited to several; blocks have only the first one.
  private final class Credits {
    private let rows: SQLiteStatement
    @exclusivity(unchecked) private var person: Int32 = .max

    init(_ db: Database) throws {
      rows = try SQLiteStatement(
        db,
        "SELECT person, number, origin, client, properties FROM main.spell_row ORDER BY person, number, credit")
      try advance()
    }

    private func advance() throws { person = try rows.step() ? rows.int32(0) : .max }

    /// Replaces the credits of a person, who must come after the previous ones.
    func take(into money: inout PersonMoney) throws {
      while person < money.person { try advance() }
      money.credits.removeAll(keepingCapacity: true)
      for place in money.spells.indices {
        let first = money.credits.count
        while person == money.person, Int(rows.int64(1)) == place {
          money.credits.append(UnitKey(cellKey: rows.int32(2), client: rows.int32(3), properties: rows.int32(4)))
          try advance()
        }
        guard money.credits.count > first else { throw PaymentHistory.disagree }
        money.spells[place].credits = first..<money.credits.count
      }
    }
  }

  /// The funnel entries, in the order of their persons.
  private final class Entries {
    private let rows: SQLiteStatement
    /// The person of the next entry; the greatest value after the last.
    @exclusivity(unchecked) private(set) var person: Int32 = .max

    private let greatest: Int32

    /// - Parameter greatest: The greatest number of a person.
    init(_ db: Database, greatest: Int32) throws {
      self.greatest = greatest
      rows = try SQLiteStatement(db, "SELECT person, origin FROM main.entry_row ORDER BY person")
      try advance()
    }

    private func advance() throws {
      let last = person == .max ? 0 : person
      person = try rows.step() ? rows.int32(0) : .max
      guard person > last, person <= greatest || person == .max else {
        throw StoredDamage.error("entry_row has rows out of order")
      }
    }

    /// Moves to the next entry.
    ///
    /// - Returns: The cell key of the current entry.
    func takeCellKey() throws -> Int32 {
      let cellKey = rows.int32(1)
      try advance()
      return cellKey
    }

    /// Replaces everything with the next entry.
    func take(into money: inout PersonMoney) throws {
      money.removeAll()
      money.person = person
      money.entry = try takeCellKey()
    }
  }
}

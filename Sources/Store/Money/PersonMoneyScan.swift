internal import EventModel
internal import GRDB
internal import Lifecycle

/// Reads spells, payments and refunds of all persons in one pass.
public final class PersonMoneyScan {
  private let source: FactSource
  private let withEntries: Bool
  private let origins: OriginNumbers

  /// - Parameters:
  ///   - source: The facts to read, those folded again included.
  ///   - withEntries: Whether entries to the funnel are read, too.
  public init(_ source: FactSource, withEntries: Bool = false) throws {
    self.source = source
    self.withEntries = withEntries
    origins = try OriginNumbers(source.db, schema: "main")
  }

  public func origin(_ number: Int32) -> Origin { origins.origin(number) }

  /// Calls `body` with each person that has a spell or, where they are read, an entry, of all apps that the facts are of.
  public func forEachPerson(_ body: (borrowing PersonMoney) throws -> Void) throws {
    let plan = source.isRefolded ? try source.refoldPlan() : nil
    if !source.changesAll { try forEachStored(except: plan, body) }
    guard let plan else { return }
    var money = PersonMoney()
    try source.refold.forEachPerson(plan, source.dictionaries()) { person, app, facts, _ in
      money.set(person, facts, app: app, origins)
      try body(money)
    }
  }

  private func forEachStored(except plan: RefoldPlan?, _ body: (borrowing PersonMoney) throws -> Void) throws {
    // By origin: whether its app is asked for.
    let isAsked = [false] + origins.origins.map { source.asOf[$0.app] != nil }
    let entries =
      withEntries ? try SQLiteStatement(source.db, "SELECT person, origin FROM main.entry_row ORDER BY person") : nil
    var entered = try entries?.step() == true ? entries?.int32(0) ?? .max : Int32.max
    var money = PersonMoney()
    func emit() throws {
      if let plan, plan.stale.contains(money.person) { return }
      guard let origin = money.entry ?? money.credits.first?.origin, isAsked[Int(origin)] else { return }
      try body(money)
    }
    func takeEntry() throws {
      money.entry = entries?.int32(1)
      entered = try entries?.step() == true ? entries?.int32(0) ?? .max : Int32.max
    }
    func emitEntries(before person: Int32) throws {
      while entered < person {
        money.removeAll()
        money.person = entered
        try takeEntry()
        try emit()
      }
    }
    let blocks = try SQLiteStatement(source.db, "SELECT id, persons FROM main.money_block ORDER BY id")
    while try blocks.step() {
      try MoneyBlocks.forEach(in: blocks.int64(0), blocks.bytes(1)) { person, bytes in
        try emitEntries(before: person)
        money.decode(bytes)
        money.person = person
        if entered == person { try takeEntry() }
        try emit()
      }
    }
    try emitEntries(before: .max)
  }
}

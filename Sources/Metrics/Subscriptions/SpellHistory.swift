internal import Lifecycle

/// The worth of a spell at each instant, and the movements between them; implements definitions 7.2 and 7.3.
struct SpellHistory {
  /// The worth of a spell while a payment is its last one and covers it.
  struct Level: Equatable {
    /// The currency; 0 if amounts do not matter.
    var currency: NameID
    var amount: Int128
  }

  struct Payment {
    var ts: Int64
    var coverEnd: Int64
    /// The level; `nil` if the payment does not count, such as a lifetime in recurring revenue.
    var level: Level?
  }

  enum Movement: Int, CaseIterable {
    /// The first cover of a subscription's first spell.
    case new
    /// The first cover of a later spell.
    case resubscribed
    /// An increase, or any amount after a gap within the spell.
    case expansion
    /// A decrease, or nothing for now: a gap within the spell, or an end that is not churn yet.
    case contraction
    /// The end of the spell, once it has churned (definitions 2.8).
    case churned
  }

  struct Change {
    var ts: Int64
    var movement: Movement
    var currency: NameID
    /// Signed.
    var amount: Int128
    /// 1 if the currency's part of the spell becomes active, -1 if it ends, else 0.
    var active: Int
  }

  struct Amounts<Amount: AdditiveArithmetic & Sendable>: Equatable, Sendable {
    private var new = Amount.zero
    private var resubscribed = Amount.zero
    private var expansion = Amount.zero
    private var contraction = Amount.zero
    private var churned = Amount.zero

    subscript(movement: Movement) -> Amount {
      @inline(__always)
      get {
        switch movement {
        case .new: new
        case .resubscribed: resubscribed
        case .expansion: expansion
        case .contraction: contraction
        case .churned: churned
        }
      }
      @inline(__always)
      set {
        switch movement {
        case .new: new = newValue
        case .resubscribed: resubscribed = newValue
        case .expansion: expansion = newValue
        case .contraction: contraction = newValue
        case .churned: churned = newValue
        }
      }
    }

    /// Amounts in the order of ``Movement``.
    var all: [Amount] { Movement.allCases.map { self[$0] } }

    mutating func add(_ other: Self) {
      for movement in Movement.allCases { self[movement] += other[movement] }
    }
  }

  /// Replaces the changes in an array with those of a spell, in order of time.
  ///
  /// - Parameters:
  ///   - payments: In order of time; at least one.
  ///   - ordinal: The spell's number within its subscription, from 1.
  ///   - isChurned: Whether its end is known to be churn.
  static func set(_ changes: inout [Change], _ payments: [Payment], ordinal: Int, isChurned: Bool) {
    changes.removeAll(keepingCapacity: true)
    var level: Level?
    var coverEnd = Int64.min
    /// The end of the spell: a payment that was given back at once covers nothing.
    let end = payments.lazy.filter { $0.coverEnd > $0.ts }.map(\.coverEnd).max()
    func move(to next: Level?, at ts: Int64) {
      if level == next { return }
      if let level, let next, level.currency == next.currency {
        changes.append(
          Change(
            ts: ts, movement: next.amount > level.amount ? .expansion : .contraction, currency: level.currency,
            amount: next.amount - level.amount, active: 0))
      } else {
        if let level {
          changes.append(
            Change(
              ts: ts, movement: ts == end && isChurned ? .churned : .contraction, currency: level.currency,
              amount: -level.amount, active: -1))
        }
        if let next {
          let movement: Movement = changes.isEmpty ? ordinal == 1 ? .new : .resubscribed : .expansion
          changes.append(
            Change(ts: ts, movement: movement, currency: next.currency, amount: next.amount, active: 1))
        }
      }
      level = next
    }
    for (place, payment) in payments.enumerated() {
      if coverEnd < payment.ts { move(to: nil, at: coverEnd) }
      coverEnd = max(coverEnd, payment.coverEnd)
      // Of payments at one instant, the last one counts.
      if place + 1 < payments.count, payments[place + 1].ts == payment.ts { continue }
      if coverEnd > payment.ts { move(to: payment.level, at: payment.ts) }
    }
    if coverEnd < .max { move(to: nil, at: coverEnd) }
  }
}

import Basics
import Testing

/// Numbers derived by hand.
struct NudgesTests {
  private static let lines = [
    Behaviour.line("trial_start", "2026-01-01T12:00:00", "u", Behaviour.trial),
    Behaviour.line("trial_nudge", "2026-01-05T12:00:00", "u"),
    Behaviour.line("trial_nudge", "2026-01-08T00:00:00", "u"),
    Behaviour.line("conversion", "2026-01-08T12:00:00", "u", Behaviour.sale),
    Behaviour.line("trial_start", "2026-01-01T12:00:00", "v", Behaviour.trial),
    Behaviour.line("cancellation", "2026-01-02T12:00:00", "v"),
    // A reminder at the end is too late; one exactly 24 h before is in the range from 24.
    Behaviour.line("trial_start", "2026-01-01T12:00:00", "w", Behaviour.trial),
    Behaviour.line("trial_nudge", "2026-01-08T12:00:00", "w"),
    Behaviour.line("trial_start", "2026-01-01T12:00:00", "x", Behaviour.trial),
    Behaviour.line("trial_nudge", "2026-01-07T12:00:00", "x"),
    Behaviour.line("activity", "2026-03-01T10:00:00", "z"),
  ]

  /// u's first reminder comes 72 h before the end: w and x are open without one; v is open too, but has turned
  /// auto-renew off. x's comes 24 h before the end: w is open without one, while u has had one. u's second comes 12 h
  /// before: only x had one before and is open at that age.
  @Test func aReminderIsComparedWithTrialsOpenAtItsAge() throws {
    let table = try TestStore(lines: Self.lines).table("nudges")
    let columns = "nudges trials converted compared others others_reminded_soon difference reason"
    #expect(table.column("hours_before_end") == ["6-24", "24-48", "72+"])
    #expect(table.cells(columns, of: "steps", "72+") == "1 1 1 1 2 0.000000 - too_few")
    #expect(table.cells(columns, of: "steps", "24-48") == "1 1 0 1 1 0.000000 - too_few")
    #expect(table.cells(columns, of: "steps", "6-24") == "1 1 1 1 1 0.000000 - too_few")
  }

  /// The sample app coach reminds every trial still open a day before the end: none is left to compare with, and trials
  /// that paid earlier must not serve as a comparison.
  @Test func whereAllWereRemindedThereIsNoDifference() throws {
    var lines = [Behaviour.line("activity", "2026-03-01T10:00:00", "z")]
    for number in 0..<60 {
      lines.append(Behaviour.line("trial_start", "2026-01-01T12:00:00", "u\(number)", Behaviour.trial))
      let paid = number % 3 == 0 ? "2026-01-03" : "2026-01-08"
      if number % 3 != 0 { lines.append(Behaviour.line("trial_nudge", "2026-01-07T12:00:00", "u\(number)")) }
      if number % 3 == 2 { continue }
      lines.append(Behaviour.line("conversion", "\(paid)T10:00:00", "u\(number)", Behaviour.sale))
    }
    let store = try TestStore(lines: lines)
    let table = try store.table("nudges")
    #expect(table.rows.count == 1)
    #expect(
      table.cells("nudges trials converted compared others others_rate difference reason", of: "steps", "24-48")
        == "40 40 20 0 0 - - no_open_trial")
    #expect(
      try store.report("nudges", []).definition.last
        == "no_open_trial: no difference, because every trial still open at that age got the reminder")
  }

  /// A reminder that reaches all trials within a day counts as one reminder, sent at several hours.
  @Test func aReminderThatAllGetWithinADayIsNotCompared() throws {
    var lines = [Behaviour.line("activity", "2026-03-01T10:00:00", "z")]
    for number in 0..<24 {
      lines.append(Behaviour.line("trial_start", "2026-01-01T12:00:00", "u\(number)", Behaviour.trial))
      let hour = number < 10 ? "0\(number)" : "\(number)"
      lines.append(Behaviour.line("trial_nudge", "2026-01-06T\(hour):00:00", "u\(number)"))
    }
    let table = try TestStore(lines: lines).table("nudges")
    #expect(table.column("reason") == ["reminded_soon", "reminded_soon"])
    #expect(table.column("difference") == ["", ""])
  }

  /// Auto-renew turned off and on again at one instant is on afterwards: b is compared with a; c, who left it off, is
  /// not.
  @Test func autoRenewIsWhatItLastWas() throws {
    let table = try TestStore(lines: [
      Behaviour.line("trial_start", "2026-01-01T12:00:00", "a", Behaviour.trial),
      Behaviour.line("trial_nudge", "2026-01-05T12:00:00", "a"),
      Behaviour.line("trial_start", "2026-01-01T12:00:00", "b", Behaviour.trial),
      Behaviour.line("cancellation", "2026-01-02T12:00:00", "b"),
      Behaviour.line("reactivation", "2026-01-02T12:00:00", "b"),
      Behaviour.line("trial_start", "2026-01-01T12:00:00", "c", Behaviour.trial),
      Behaviour.line("cancellation", "2026-01-02T12:00:00", "c"),
      Behaviour.line("activity", "2026-03-01T10:00:00", "z"),
    ]).table("nudges")
    #expect(table.cells("nudges compared others", of: "steps", "72+") == "1 1 1")
  }

  /// Reminders without effect: half of 1,200 trials are to get one at a random age, and get it if they are open then. A
  /// third pay at a random age. Early payers get none, so trials without a reminder pay far more often overall, but not
  /// when compared at the age of the reminder.
  @Test(arguments: [1, 2, 3] as [UInt64]) func remindersThatDoNothingShowNoDifference(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var lines = [Behaviour.line("activity", "2026-03-01T10:00:00", "z")]
    var withoutOne = (trials: 0, paid: 0)
    var withOne = (trials: 0, paid: 0)
    func at(_ second: Int) -> String {
      func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
      let day = two(1 + second / 86_400)
      return "2026-01-\(day)T\(two(second / 3_600 % 24)):\(two(second / 60 % 60)):\(two(second % 60))"
    }
    for number in 0..<1_200 {
      let user = "u\(number)"
      let paid = Int.random(in: 0..<3, using: &random) == 0 ? Int.random(in: 1..<604_800, using: &random) : nil
      let reminded = Bool.random(using: &random) ? Int.random(in: 1..<604_800, using: &random) : nil
      lines.append(Behaviour.line("trial_start", at(0), user, Behaviour.trial))
      if let paid { lines.append(Behaviour.line("conversion", at(paid), user, Behaviour.sale)) }
      if let reminded, reminded <= paid ?? .max {
        lines.append(Behaviour.line("trial_nudge", at(reminded), user))
        withOne.trials += 1
        if paid != nil { withOne.paid += 1 }
      } else {
        withoutOne.trials += 1
        if paid != nil { withoutOne.paid += 1 }
      }
    }
    let naive = Double(withOne.paid) / Double(withOne.trials) - Double(withoutOne.paid) / Double(withoutOne.trials)
    #expect(naive < -0.12)
    let table = try TestStore(lines: lines).table("nudges")
    var compared = 0
    for row in table.rows {
      guard let low = table.number("difference_low", in: row), let high = table.number("difference_high", in: row)
      else { continue }
      compared += 1
      #expect(low < 0 && 0 < high && high - low < 0.35, "\(row)")
    }
    #expect(compared > 0)
  }

  /// Each reminder counts in one range, and trials with one have matured.
  @Test(arguments: [1, 2, 3] as [UInt64]) func trialsWithAReminderAreMatured(seed: UInt64) throws {
    let store = try Behaviour.randomStore(seed: seed)
    let (nudges, trials) = (try store.table("nudges"), try store.table("trials"))
    #expect(nudges.sum("trials") > 0)
    for row in nudges.rows {
      #expect(nudges.number("trials", in: row) ?? .nan <= Double(trials.sum("matured")))
      #expect(nudges.number("converted", in: row) ?? .nan <= nudges.number("trials", in: row) ?? .nan)
      #expect(nudges.number("trials", in: row) ?? .nan <= nudges.number("nudges", in: row) ?? .nan)
    }
  }
}

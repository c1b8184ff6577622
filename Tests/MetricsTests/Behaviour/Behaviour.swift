import Foundation

/// Events of user behaviour for `cadence`, `gates`, `nudges` and `activity`.
enum Behaviour {
  static func line(_ event: String, _ ts: String, _ user: String, _ rest: String = "") -> String {
    #"{"event_id":"\#(event)-\#(user)-\#(ts)","event":"\#(event)","ts":"\#(ts)Z","app":"steps","user_id":"\#(user)"\#(rest)}"#
  }

  static let sale = #","product_id":"m","plan":"monthly","price":10,"currency":"USD""#
  static let trial = #","product_id":"m","plan":"monthly","trial_days":7"#
  static let seen = #","entry_point":"w""#

  /// Returns a store of random lives with activities, paywalls, nudges and gates throughout.
  static func randomStore(seed: UInt64) throws -> TestStore {
    let random = RandomLives(seed: seed, persons: 60)
    let lives = random.lines
    let start = lives[0].ts
    let extra = (0..<300).map { number -> String in
      let kind = ["activity", "paywall_impression", "trial_nudge", "gate_hit"][number % 4]
      return
        #"{"event_id":"x\#(number)","event":"\#(kind)","ts":\#(start + Int64(number * 7_919 % 120) * 43_200_000),"app":"steps","#
        + #""user_id":"u\#(10 + number % 50)","entry_point":"w"}"#
    }
    return try TestStore(lines: lives.map(\.text) + random.reminders + extra)
  }
}

extension RandomLives {
  /// Reminders for two of three trials, one to six days after their start.
  var reminders: [String] {
    let trials = lines.filter { $0.text.contains(#""event":"trial_start""#) }
    return trials.enumerated().filter { $0.offset % 3 != 0 }.map { number, trial in
      trial.text
        .replacing(#""event":"trial_start""#, with: #""event":"trial_nudge""#)
        .replacing(#"{"event_id":""#, with: #"{"event_id":"reminder-"#)
        .replacing(#""ts":\#(trial.ts)"#, with: #""ts":\#(trial.ts + Int64(1 + number % 6) * 86_400_000)"#)
    }
  }
}

extension Table {
  /// Returns the sum of a column of whole numbers over the included rows.
  func sum(_ name: String, where isIncluded: ([String]) -> Bool = { _ in true }) -> Int {
    rows.filter(isIncluded).compactMap { number(name, in: $0) }.reduce(0) { $0 + Int($1) }
  }
}

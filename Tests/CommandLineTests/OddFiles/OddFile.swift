import Foundation
import Testing

/// A small export in a shape that few others have, and the numbers that it must give.
struct OddFile {
  var name = "data.csv"
  var text: String
  var options: [String] = []
  /// Other files of the call, with their texts.
  var others: [(name: String, text: String)] = []

  /// A file whose lines are given.
  init(_ lines: [String], _ options: String..., name: String = "data.csv") {
    text = lines.joined(separator: "\n") + "\n"
    self.options = options
    self.name = name
  }

  /// Files with the lines of each.
  init(files: [(name: String, lines: [String])], _ options: String...) {
    let texts = files.map { ($0.name, $0.lines.joined(separator: "\n") + "\n") }
    (name, text) = texts[0]
    others = Array(texts.dropFirst())
    self.options = options
  }

  /// Runs `init --yes` in a new folder and gives what it says, the first row of the funnel (users, trial users, those who
  /// paid after a trial, direct, all payers) and the gross and refunded revenue.
  func read() throws -> (said: String, status: Int32, funnel: [Int], gross: String, refunded: String) {
    try Folder.with { folder in
      try folder.write(text, to: name)
      for (name, text) in others { try folder.write(text, to: name) }
      let words = ["init", "--yes", "--app", "acme", "--store", "t.db"] + options + [name] + others.map(\.name)
      let result = try Program.run(words, in: folder.url)
      let said = result.output + result.errors
      // Without trials or payments it ends with 3, and has a store.
      guard [0, 3].contains(result.status) else { return (said, result.status, [], "", "") }
      let funnel = try Self.row(folder, "funnel", "--by", "none")
      let revenue = try Self.row(folder, "revenue", "--by", "none", "--mode", "gross", "--currency", "native")
      let columns = ["users", "trial_users", "trial_paid_users", "direct_paid_users", "paid_users"]
      return (
        said, result.status, columns.map { Int(funnel[$0] ?? "") ?? 0 }, revenue["gross"] ?? "",
        revenue["refunded"] ?? ""
      )
    }
  }

  /// Runs `init --yes` in a new folder and gives what it says, and what a report then prints as a table.
  func reading(_ report: String...) throws -> (said: String, table: String) {
    try Folder.with { folder in
      try folder.write(text, to: name)
      for (name, text) in others { try folder.write(text, to: name) }
      let words = ["init", "--yes", "--app", "acme", "--store", "t.db"] + options + [name] + others.map(\.name)
      let result = try Program.run(words, in: folder.url)
      let table = try Program.run(report + ["--store", "t.db", "--width", "300"], in: folder.url)
      return (result.output + result.errors, table.output + table.errors)
    }
  }

  /// Returns the first row of a report by its columns.
  private static func row(_ folder: Folder, _ words: String...) throws -> [String: String] {
    let result = try Program.run(words + ["--store", "t.db", "--format", "csv"], in: folder.url)
    let lines = result.output.split(separator: "\n").map { $0.split(separator: ",", omittingEmptySubsequences: false) }
    guard lines.count > 1 else { return [:] }
    return Dictionary(zip(lines[0].map(String.init), lines[1].map(String.init))) { first, _ in first }
  }

  /// A paywall view of a user on a day of January 2026, with cells for the columns after the event's name.
  static func view(_ user: String, day: Int, _ rest: String) -> String {
    "v\(user),2026-01-\(day < 10 ? "0" : "")\(day)T08:00:00Z,\(user),paywall_viewed,\(rest)"
  }

  /// An event of a user five minutes after 8 on a day of January 2026.
  static func event(_ name: String, _ user: String, day: Int, _ rest: String) -> String {
    "\(name)\(user),2026-01-\(day < 10 ? "0" : "")\(day)T08:05:00Z,\(user),\(name),\(rest)"
  }

  /// A paywall view on 28 February, 50 days after the others, so that these are mature: 7 days, a trial and 3 of grace.
  static func last(_ rest: String) -> String { "x,2026-02-28T08:00:00Z,u99,paywall_viewed,\(rest)" }
}

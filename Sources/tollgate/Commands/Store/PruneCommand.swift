import ArgumentParser
import EventModel
import Foundation
import Lifecycle
import Metrics
import Store

struct PruneCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "prune", abstract: "Takes old raw events out that no fact rests on.",
    discussion: """
      How long raw events are retained: dismissals, purchase sheets, gates, reminders, restores, redeemed codes and activity \
      of more than --older-than days before the app's newest event go, unless a fact of their person would be another \
      without them. Every fact stays, and so every report that is made of facts; activity, gates, nudges and health, \
      which count raw events, say from then on since when they are whole, and an as-of before that knows less.
      """)

  @OptionGroup var common: CommonOptions

  @Option(help: ArgumentHelp("Age in days from which on events go.", valueName: "days"))
  var olderThan: Int

  @Flag(help: "Change nothing; print what would go.")
  var dryRun = false

  @OptionGroup var lock: LockArguments

  mutating func validate() throws {
    guard (30...36_525).contains(olderThan) else {
      throw ValidationError("--older-than is \(olderThan), but must be from 30 to 36525 days")
    }
  }

  func run() throws {
    let store = try lock.open(common.storePath)
    let summary = try store.prune(age: Int64(olderThan) * day, isDryRun: dryRun, lockTimeout: lock.lockTimeout)
    if !dryRun { try ReportCache.fill(store) }
    if common.quiet { return }
    for (kind, events) in summary.removed { print("\(kind): \(grouped(events))") }
    print(
      "\(grouped(summary.events)) events \(dryRun ? "would go" : "gone"), \(grouped(summary.kept)) old ones stay, as facts "
        + "rest on them\(dryRun || summary.events == 0 ? "" : "; `tollgate vacuum` gives their room back")")
  }
}

import ArgumentParser
import EventModel
import Foundation
import Lifecycle
import Metrics
import Store

struct PruneCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "prune", abstract: "Remove old raw events that no trial, subscription or payment needs.",
    discussion: """
      Removes dismissals, purchase sheets, gates, reminders, restores, redeemed codes and activity that are more than \
      --older-than days older than the app's newest event, unless another result for that user depends on them. Trials, \
      subscriptions and payments stay, and so do their reports. activity, gates, nudges and health count raw events; they \
      state the day from which they are complete.
      """)

  @OptionGroup var common: CommonOptions

  @Option(help: ArgumentHelp("Remove events older than this many days.", valueName: "days"))
  var olderThan: Int

  @Flag(help: "Change nothing; print what would be removed.")
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
      "\(counted(summary.events, "event")) \(dryRun ? "would be removed" : "removed"), \(grouped(summary.kept)) older ones kept because reports "
        + "depend on them\(dryRun || summary.events == 0 ? "" : "; `tollgate vacuum` frees the disk space")")
  }
}

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
      Keeps the last --older-than days before each app's newest event. Of older events, it removes these, unless a \
      result for their user depends on them: paywall_dismissal, purchase_started, gate_hit, trial_nudge, restore, \
      offer_redemption and activity. This cannot be undone: make a backup first.

      Reports on trials, subscriptions and payments do not change. activity, gates, nudges, paths and health count \
      these events, and show the time before which their counts are too low.
      """)

  @OptionGroup var common: CommonOptions

  @Option(help: ArgumentHelp("Number of days to keep, at least 30.", valueName: "days"))
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
    var sentences = ["\(counted(summary.events, "event")) \(dryRun ? "would be removed" : "removed")."]
    if summary.kept > 0 {
      sentences.append(
        "\(counted(summary.kept, "other old event")) \(summary.kept == 1 ? "stays" : "stay"), because reports depend "
          + "on \(summary.kept == 1 ? "it" : "them").")
    }
    if !dryRun, summary.events > 0 { sentences.append("`tollgate vacuum` frees the disk space.") }
    print(sentences.joined(separator: " "))
  }
}

import ArgumentParser
import Basics
import EventModel
import Foundation
import Metrics
import Reports
import Store

struct DoctorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor", abstract: "Check that a store is sound, and repair what can be rebuilt from its events.",
    discussion: """
      Checks the file with SQLite, and checks that events, files and users agree. If something is wrong, it says what it is \
      and ends with status 5. --repair computes all results again from the events. It cannot bring back damaged events: \
      restore a backup, or ingest the files into a new store.
      """)

  @OptionGroup var common: CommonOptions

  @Flag(help: "Compute all results again from the events, and compare them with the stored ones.")
  var rebuildCheck = false

  @Flag(help: "Compare each ingested file with the file now at its path; status 3 if one has changed.")
  var files = false

  @Flag(help: "Compute all results again from the events, store them, then check.")
  var repair = false

  @Flag(
    help:
      "Afterwards, store a hash of each page. Until the next write, doctor then detects any damage.")
  var seal = false

  @OptionGroup var lock: LockArguments

  func run() throws {
    if repair {
      // Data rebuilt from damaged events would look sound.
      do {
        let store = try lock.open(common.storePath)
        try store.repair(lockTimeout: lock.lockTimeout)
        try ReportCache.fill(store)
      } catch StoreError.damaged(_, let reason) {
        throw beyondRepair(reason)
      }
      say("results and indexes: computed again from all events")
    }
    try checkSeal()
    let store = try Store.open(readOnly: common.storePath)
    try check(store)
    if rebuildCheck { try checkRebuild(store) }
    if seal {
      try lock.open(common.storePath).seal(lockTimeout: lock.lockTimeout)
      say("pages: sealed until the next commit")
    }
    if files { try checkFiles(store) }
  }

  private func checkSeal() throws {
    if try Store.requireWholeSeal(of: common.storePath) { say("pages: unchanged since the store was sealed") }
  }

  private func say(_ text: String) { if !common.quiet { print(ReportMarkup.shown(text)) } }

  private func damaged(_ reason: String) -> StoreError { .damaged(path: common.storePath, reason: reason) }

  private func beyondRepair(_ reason: String) -> StoreError { .beyondRepair(path: common.storePath, reason: reason) }

  private func check(_ store: Store) throws {
    if let first = try store.read({ try $0.integrityProblems() }).first { throw damaged(first) }
    say("file structure: sound")
    let problems = try store.read { try $0.referenceProblems() }
    if !problems.isEmpty { throw beyondRepair(problems.joined(separator: "; ")) }
    say("events, files, users and names: consistent")
    if try store.read({ try $0.hasPendingVacuum() }) {
      say("an erasure was interrupted, so freed pages may still hold its data; run `tollgate vacuum`")
    }
  }

  private func checkRebuild(_ store: Store) throws {
    let differences = try store.read { try $0.differencesFromRebuild() }
    if !differences.isEmpty {
      let list = differences.map { "\($0.table): \(counted($0.rows, "row"))" }.joined(separator: ", ")
      throw damaged("stored results differ from the events (\(list))")
    }
    let stale = try store.read { try ReportCache.differences($0) }
    if !stale.isEmpty {
      throw damaged("cached reports differ from the stored results (\(stale.joined(separator: ", ")))")
    }
    say("results: the same as computed again from all events")
  }

  private func checkFiles(_ store: Store) throws {
    let states = try store.read { try $0.fileStates() }
    for (path, state) in states {
      switch state {
      case .changed: LogFormat.warn("\(path): has changed since it was ingested")
      case .missing: say("\(path): no longer exists")
      default: continue
      }
    }
    let counts = StoreSnapshot.FileState.allCases.map { state in
      "\(grouped(states.count { $0.state == state })) \(state.rawValue)"
    }
    say("files: \(counts.joined(separator: ", "))")
    if states.contains(where: { $0.state == .changed }) { throw ExitCode(ExitStatus.incomplete.rawValue) }
  }
}

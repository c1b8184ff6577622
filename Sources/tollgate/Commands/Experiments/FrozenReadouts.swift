import Basics
import EventModel
import Foundation
import Metrics
import Reports
import Store

/// Readouts that are written to files and computed again later (Program.md, "Freeze a readout").
enum FrozenReadouts {
  /// Writes a readout as the next file of a folder; returns its path.
  ///
  /// - Throws: ``UsageError`` for several apps, and a folder that cannot be written to.
  static func freeze(
    _ report: ExperimentReport, plan: String, fixed: FixedAtFirstReadout?, in folder: String, _ snapshot: StoreSnapshot
  ) throws -> String {
    guard report.readouts.count == 1, let readout = report.readouts.first else {
      throw UsageError(
        "--freeze needs one app, but \(report.experiment) is seen in "
          + "\(report.readouts.map(\.app).joined(separator: ", ")): name one with app in the plan, or with --app")
    }
    let hash = try snapshot.dataHash(app: readout.app, before: readout.asOf)
    do {
      return try FrozenReadout(
        report, plan: plan, version: Tollgate.version, dataHash: hash,
        frozenOn: Instant(millisecondsSince1970: Int64(Date().timeIntervalSince1970 * 1000)).description, fixed: fixed
      ).write(to: folder)
    } catch {
      throw UsageError("--freeze \(folder): cannot be written: \(error.localizedDescription)")
    }
  }

  /// Returns the values that earlier readouts in a folder fix: the cap of the first one, and the day on which a plan of
  /// this size was first frozen.
  static func fixed(
    _ experiment: String, _ plan: ExperimentPlan, apps: [String], in folder: String
  ) throws -> FixedAtFirstReadout? {
    let earlier = FrozenReadout.earlier(of: experiment, apps: apps, in: folder)
    guard let first = earlier.first else { return nil }
    let capped = earlier.first { $0.cap != nil && $0.app == first.app }
    let planned = earlier.first { readout in
      guard readout.app == first.app, readout.frozenOn != nil,
        let then = try? ExperimentPlan(yaml: readout.plan, experiment: experiment, file: folder)
      else { return false }
      return plan.isPlanned && then.plannedUsers == plan.plannedUsers && then.plannedDays == plan.plannedDays
        && then.looks == plan.looks
    }
    return FixedAtFirstReadout(cap: capped?.cap, currency: capped?.capCurrency, plannedOn: planned?.frozenOn)
  }

  /// - Throws: ``UsageError`` for a folder without any, and for a file that is none.
  static func all(in folder: String) throws -> [(file: String, readout: FrozenReadout)] {
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else {
      throw UsageError("--verify \(folder): no such folder; name the one that --freeze wrote to")
    }
    let files = names.filter { $0.hasSuffix(".json") && !$0.hasPrefix(".") }.sorted(by: precedesInBytes)
    if files.isEmpty { throw UsageError("--verify \(folder): has no frozen readout (NAME.N.json)") }
    return try files.map { name in
      guard let data = FileManager.default.contents(atPath: "\(folder)/\(name)") else {
        throw UsageError("\(folder)/\(name): cannot be read")
      }
      do {
        return (name, try FrozenReadout(json: data))
      } catch {
        throw UsageError("\(folder)/\(name): is not a frozen readout, which `experiment NAME --freeze` writes")
      }
    }
  }

  /// Makes each again from its plan, as of its instant.
  static func table(
    _ frozen: [(file: String, readout: FrozenReadout)], _ snapshot: StoreSnapshot
  ) throws -> Report {
    verificationTable(
      try frozen.map { file, then in
        guard let asOf = Instant(rfc3339: then.asOf)?.millisecondsSince1970 else {
          throw UsageError("\(file): as_of is \(then.asOf), but must be an instant")
        }
        var options = ReportOptions()
        options.apps = [then.app]
        options.asOf = asOf
        let plan = try ExperimentPlan(yaml: then.plan, experiment: then.experiment, file: file)
        let report = try Experiments.report(
          snapshot, options, ExperimentOptions(experiment: then.experiment, plan: plan, fixed: then.fixed))
        let hash = try snapshot.dataHash(app: then.app, before: asOf)
        return (
          file, then,
          FrozenReadout(report, plan: then.plan, version: Tollgate.version, dataHash: hash, fixed: then.fixed)
        )
      })
  }
}

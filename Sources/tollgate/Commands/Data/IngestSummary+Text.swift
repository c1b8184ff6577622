import Basics
import EventModel
import Metrics
import Store

extension IngestSummary {
  /// Whether the files brought no event at all and left lines in quarantine.
  var isBarren: Bool { events + duplicates + conflicts + joins + reported == 0 && quarantinedLines > 0 }

  /// Says that a tenth of the records or more were rejected, and at least ten; `nil` for fewer.
  var rejectionWarning: String? {
    let all = events + duplicates + conflicts + joins + reported + ignored + quarantinedLines
    guard !isBarren, quarantinedLines * 10 >= all, quarantinedLines >= 10 else { return nil }
    let share = Int((Double(quarantinedLines) / Double(all) * 100).rounded())
    return "\(grouped(quarantinedLines)) of \(grouped(all)) records (\(share)%) were rejected: no report counts them"
  }

  /// The share of the records that were rejected, if it is large, and how to correct the most frequent faults.
  var rejectionWarnings: [String] {
    [rejectionWarning].compactMap(\.self)
      + IngestPreview.sorted(quarantined).prefix(3).map { "\($0.key): \(Quarantine.fix($0.key))" }
  }

  /// Prints to standard error what happened to files that were read before with other settings, and why a file gave no
  /// event.
  ///
  /// - Parameters:
  ///   - mapping: The mapping's file, if there is one.
  ///   - store: The store's option, for commands that are suggested; empty without one.
  func explain(mapping: String?, store: String) {
    let with = mapping.map { "with \($0)" } ?? "with these settings"
    func again(_ path: String) -> String {
      "tollgate ingest --store \(CommonOptions.newStore) "
        + (mapping.map { "--mapping \($0.shellWord) \(path.shellWord)" } ?? "...")
    }
    for file in readAgain {
      switch file.outcome {
      case .anew(let dropped):
        LogFormat.warn(
          "\(file.path): read again \(with), as it had given no events (\(grouped(dropped)) rejected lines removed)",
          behind: "")
      case .ignored(let events, let rejected):
        LogFormat.warn(
          "\(file.path): read again \(with). The events that were stored stay; of the records that were left out or "
            + "rejected, \(grouped(events)) are events now and \(grouped(rejected)) are rejected"
            + (rejected > 0 ? "; see `tollgate quarantine list\(store)`" : ""), behind: "")
      case .quarantine(let released, let remaining) where released + remaining > 0:
        LogFormat.warn(
          "\(file.path): read before with other settings. Its events stay; of its rejected lines, "
            + "\(grouped(released)) are events now and \(grouped(remaining)) are still rejected. To read all of it \(with), use a "
            + "new store: `\(again(file.path))`", behind: "")
      case .quarantine:
        LogFormat.warn(
          "\(file.path): read before with other settings. Its events stay. To read it \(with), use a new store: "
            + "`\(again(file.path))`", behind: "")
      }
    }
    for file in barren {
      var why: [String] = []
      if file.quarantined > 0 {
        why.append(file.quarantined == 1 ? "1 record is rejected" : "\(grouped(file.quarantined)) records are rejected")
      }
      if file.ignored > 0 { why.append("\(grouped(file.ignored)) are left out\(mapping.map { " by \($0)" } ?? "")") }
      let next =
        if let mapping {
          "tollgate mapping check \(mapping.shellWord) --sample \(file.path.shellWord)"
        } else if file.quarantined > 0 {
          "tollgate quarantine list\(store)"
        } else {
          "tollgate init \(file.path.shellWord)"
        }
      LogFormat.warn("\(file.path): no events: \(why.joined(separator: ", ")); next: `\(next)`", behind: "")
    }
  }
}

import ArgumentParser
import EventModel
import Foundation
import Metrics
import Reports
import Store

/// What a night does, as a file says it.
struct NightlyConfig {
  /// Files of one kind.
  struct Source {
    var files: [FilePattern]
    var settings: SourceArguments
  }

  /// Files that must be there for each day.
  struct Expectation {
    var files: FilePattern
    var count = 1
    /// Days from a day to the night on which its files must be there.
    var after = 1
  }

  struct Thresholds {
    /// Lines in quarantine of all lines of the night.
    var quarantineShare: Double?
    /// Lines of one file whose events were known.
    var duplicateShare = 0.5
    /// Hours from an app's newest event to the night; `*` for all apps.
    var freshnessHours: [(app: String, hours: Double)] = []
    /// Of the sequential sample-ratio check.
    var sampleRatioP: Double? = ExperimentHealth.alpha
    var metrics: [MetricThreshold] = []
  }

  struct MetricThreshold {
    var name: String
    var report: ReportRequest
    var column: String
    /// Cohort days that are looked at, those that they are compared with, and those between them and the night.
    var days = 7
    var baseline = 28
    var lag = 1
    /// A rate: as a difference; else as a share of the mean day.
    var moved = 0.0
    var confidence = 0.999
  }

  struct ReportEntry {
    /// As it stands in the file.
    var text: String
    var command: any ParsableCommand
  }

  var file: String
  var digest: [UInt8]
  var store: String?
  var timeZone = TimeZone.gmt
  var records = "nightly"
  var sources: [Source] = []
  var expectations: [Expectation] = []
  var thresholds = Thresholds()
  /// By experiment, the file that says how it was planned.
  var plans: [String: ExperimentPlan] = [:]
  var reports: [ReportEntry] = []
  var prometheus: String?
  var checksStore = true
  /// Whether every report without options is made and kept for those who ask in the morning.
  var preparesReports = true
  /// Whether what was found on an earlier night sets the status again.
  var repeats = false
}

internal import Metrics
internal import Reports

/// The messages after a night, and where they go (`notify:`, definitions 16).
struct NotifyConfig {
  enum Rhythm: String, CaseIterable {
    case monday
    case daily
  }

  struct Digest {
    var rhythm = Rhythm.monday
    var numbers: [WatchedNumber] = []
  }

  struct Alarms {
    var numbers: [WatchedNumber] = []
    /// Nights with any false alarm that are expected in a month.
    var perMonth = 1.0
  }

  struct Recipient {
    var format = Message.Format.text
    var file: String
    /// A program with its arguments, which reads the file as standard input; empty for none.
    var command: [String] = []
  }

  /// Whether changed verdicts of experiments are told.
  var tellsVerdicts = true
  var digest: Digest?
  var alarms: Alarms?
  /// Notes on days, from the file that `notes` names.
  var notes: [DayNote] = []
  var recipients: [Recipient] = []
  /// The address of the dashboard, without a slash at its end.
  var baseAddress: String?
}

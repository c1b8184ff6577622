internal import EventModel

extension [NightlyFinding] {
  /// The findings for people to read, with those of files missing on consecutive days as one.
  var joiningDays: [NightlyFinding] {
    var runs: [(first: NightlyFinding, days: ClosedRange<Int>?)] = []
    for finding in self {
      let day = finding.check == .missing ? MissingDays.day(of: finding.subject) : nil
      if let day, let last = runs.last, let days = last.days, day == days.upperBound + 1,
        MissingDays.files(of: finding.subject) == MissingDays.files(of: last.first.subject),
        finding.isNew == last.first.isNew, finding.value == last.first.value, finding.limit == last.first.limit
      {
        runs[runs.count - 1].days = days.lowerBound...day
      } else {
        runs.append((finding, day.map { $0...$0 }))
      }
    }
    return runs.map { first, days in
      guard let days, days.count > 1, let value = first.value, let limit = first.limit else { return first }
      var finding = first
      finding.message =
        "\(MissingDays.files(of: first.subject)): \(grouped(Int(value))) of \(grouped(Int(limit))) files of each day "
        + "from \(MissingDays.text(days)) are there"
      return finding
    }
  }
}

/// Days whose files are missing, each a subject such as `events/{day}.jsonl 2026-03-06`.
enum MissingDays {
  /// Returns the subjects with consecutive days of the same files as one.
  static func joined(_ subjects: [String]) -> [String] {
    var runs: [(subject: String, days: ClosedRange<Int>?)] = []
    for subject in subjects {
      let day = day(of: subject)
      if let day, let last = runs.last, let days = last.days, day == days.upperBound + 1,
        files(of: subject) == files(of: last.subject)
      {
        runs[runs.count - 1].days = days.lowerBound...day
      } else {
        runs.append((subject, day.map { $0...$0 }))
      }
    }
    return runs.map { subject, days in
      guard let days, days.count > 1 else { return subject }
      return "\(files(of: subject)) \(text(days))"
    }
  }

  /// The day at the end of a subject, since 1970.
  fileprivate static func day(of subject: String) -> Int? { CivilDate(String(subject.suffix(10)))?.daysSince1970 }

  /// A subject without its day.
  fileprivate static func files(of subject: String) -> String { String(subject.dropLast(11)) }

  fileprivate static func text(_ days: ClosedRange<Int>) -> String {
    let (first, last) = (CivilDate(daysSince1970: days.lowerBound), CivilDate(daysSince1970: days.upperBound))
    return "\(first) to \(last) (\(days.count) days)"
  }
}

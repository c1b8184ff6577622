internal import EventModel

extension [NightlyFinding] {
  /// The findings for people to read, with those of files missing on consecutive days as one.
  var joiningDays: [NightlyFinding] {
    MissingDays.runs(of: self) { finding in
      finding.check == .missing ? finding.subject : nil
    } goOn: { first, next in
      first.isNew == next.isNew && first.value == next.value && first.limit == next.limit
    }.map { first, days in
      guard let days, let value = first.value, let limit = first.limit else { return first }
      var finding = first
      finding.message =
        "\(MissingDays.files(of: first.subject)): \(grouped(Int(value))) of \(grouped(Int(limit))) files of each day "
        + "from \(MissingDays.text(days)) arrived"
      return finding
    }
  }
}

/// Days whose files are missing, each a subject such as `events/{day}.jsonl 2026-03-06`.
enum MissingDays {
  /// Returns the subjects with consecutive days of the same files as one.
  static func joined(_ subjects: [String]) -> [String] {
    runs(of: subjects) { $0 }.map { subject, days in days.map { "\(files(of: subject)) \(text($0))" } ?? subject }
  }

  /// Returns the first item of each run of consecutive days with the run's days since 1970; `nil` for one that stands
  /// alone.
  ///
  /// - Parameters:
  ///   - subject: Returns the subject of an item that is of a day.
  ///   - goOn: Returns whether an item is like the first of the run in all else.
  fileprivate static func runs<Item>(
    of items: [Item], subject: (Item) -> String?, goOn: (Item, Item) -> Bool = { _, _ in true }
  ) -> [(first: Item, days: ClosedRange<Int>?)] {
    var runs: [(first: Item, files: String, days: ClosedRange<Int>?)] = []
    for item in items {
      let subject = subject(item)
      let day = subject.flatMap { CivilDate(String($0.suffix(10)))?.daysSince1970 }
      let files = subject.map(files(of:)) ?? ""
      if let day, let last = runs.last, let days = last.days, day == days.upperBound + 1, files == last.files,
        goOn(last.first, item)
      {
        runs[runs.count - 1].days = days.lowerBound...day
      } else {
        runs.append((item, files, day.map { $0...$0 }))
      }
    }
    return runs.map { ($0.first, $0.days.flatMap { $0.count > 1 ? $0 : nil }) }
  }

  /// A subject without its day.
  fileprivate static func files(of subject: String) -> String { String(subject.dropLast(11)) }

  fileprivate static func text(_ days: ClosedRange<Int>) -> String {
    let (first, last) = (CivilDate(daysSince1970: days.lowerBound), CivilDate(daysSince1970: days.upperBound))
    return "\(first) to \(last) (\(days.count) days)"
  }
}

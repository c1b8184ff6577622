internal import EventModel

/// The users of a sample and their events, generated block by block.
struct Sample: Sendable {
  let options: SampleOptions
  let persons: Int
  private let scripts: [AppScript]
  private let span: Range<Milliseconds>
  private let rhythm: ArrivalRhythm

  /// - Throws: ``SampleError`` if an option is out of range.
  init(_ options: SampleOptions) throws(SampleError) {
    try options.validate()
    switch options.size {
    case .persons(let persons): self.init(options, persons: persons)
    case .events(let events):
      // Uses the mean of a pilot over these days; a user has 0 to about 40 events, so it is known within 1%.
      let pilot = Sample(options, persons: 8_000)
      let block = pilot.block(of: 0..<pilot.persons)
      self.init(options, persons: max(1, events * pilot.persons / max(1, block.lines.count)))
    }
  }

  private init(_ options: SampleOptions, persons: Int) {
    self.options = options
    self.persons = persons
    let start = Milliseconds(options.firstDay)
    span = start..<start + Int64(options.days) * .day
    scripts = options.apps.compactMap { name in
      Truth.standard.app(name).map { AppScript(truth: $0, seed: options.seed, start: start) }
    }
    rhythm = ArrivalRhythm(firstDay: options.firstDay, days: options.days)
  }

  /// Returns the lines of a range of users, who belong to the apps in turn.
  func block(of numbers: Range<Int>) -> SampleBlock {
    guard !numbers.isEmpty else { return SampleBlock() }
    let (script, first) = person(numbers.lowerBound)
    var simulator = PersonSimulator(span: span, script: script, person: first)
    for number in numbers {
      let (script, person) = person(number)
      simulator.tell(person, of: script)
    }
    return simulator.finished()
  }

  private func person(_ number: Int) -> (AppScript, Person) {
    let script = scripts[number % scripts.count]
    let arrival = rhythm.arrival(of: number, among: persons)
    return (script, Person(index: number / scripts.count, arrival: arrival, script: script))
  }

  /// Returns the name of the file with index ``SampleBlock/Line/file``, without the suffix of compression.
  func fileName(_ file: Int) -> String {
    let families = EventKind.families
    let day = CivilDate(daysSince1970: options.firstDay.daysSince1970 + file / families.count)
    return "\(families[file % families.count])-\(day).jsonl"
  }

  var fileCount: Int { options.days * EventKind.families.count }
}

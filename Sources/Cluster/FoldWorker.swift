internal import EventModel
public import Lifecycle

/// Folds the persons of a partition, one after the other, and writes their facts.
///
/// The input is sorted by app and person as bytes, and each person's events as definitions 1.2 say; memory is bounded by
/// the largest person.
public struct FoldWorker {
  private let input: RowInput
  private let output: RowOutput
  private let options: FoldOptions
  private let packs: Bool

  /// - Parameter packs: Whether facts go out in packs (``RowPackBuilder``), and not as rows.
  public init(input: RowInput, output: RowOutput, options: FoldOptions, packs: Bool = false) {
    self.input = input
    self.output = output
    self.options = options
    self.packs = packs
  }

  public func run() throws {
    if packs {
      let packs = PackOutput(output, buckets: 1)
      let persons = try fold(into: packs)
      try packs.end()
      try output.end(input, persons: persons)
    } else {
      let persons = try fold(into: output)
      try output.end(input, persons: persons)
    }
  }

  /// Folds all persons and returns how many they are.
  private func fold(into sink: some RowSink) throws -> Int {
    var folder = PersonFolder(sink, options)
    var person: (app: [UInt8], name: [UInt8])?
    while try input.next(columns: WorkerInput.eventColumns) {
      let app = try input.required(input.bytes(0), 0)
      let name = try input.required(input.bytes(1), 1)
      if person?.app != app || person?.name != name {
        if let person, !Self.precedes(person, (app, name)) {
          throw WorkerFault(
            .data,
            "row \(input.count): app \(String(decoding: app, as: UTF8.self)), person "
              + "\(String(decoding: name, as: UTF8.self)) comes behind a later one; expected order of app and person")
        }
        person = (app, name)
        try folder.begin(app: app, name: name)
      }
      try input.withBytes(2) { try folder.add(input.required($0, 2), row: input.count) }
    }
    try folder.finish()
    return folder.personCount
  }

  private static func precedes(_ left: (app: [UInt8], name: [UInt8]), _ right: (app: [UInt8], name: [UInt8])) -> Bool {
    left.app == right.app
      ? left.name.lexicographicallyPrecedes(right.name) : left.app.lexicographicallyPrecedes(right.app)
  }
}

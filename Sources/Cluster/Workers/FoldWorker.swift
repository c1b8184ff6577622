public import Lifecycle

/// Folds the persons of a partition one after the other and writes their facts, and in packs also their cells.
///
/// The input must be sorted by app and person as bytes, with each person's events in event order. Memory is bounded
/// by the largest person.
public struct FoldWorker {
  private let input: RowInput
  private let output: RowOutput
  private let options: FoldOptions
  private let packs: Bool
  private let again: Bool

  /// - Parameters:
  ///   - packs: Whether to write facts in packs (``RowPackBuilder``) rather than as rows.
  ///   - again: Whether persons come twice, as they are now and as an earlier build folded them
  ///     (``WorkerInput/refoldColumns``); for the latter only the cells to subtract are written.
  public init(
    input: RowInput, output: RowOutput, options: FoldOptions, packs: Bool = false, again: Bool = false
  ) {
    self.input = input
    self.output = output
    self.options = options
    self.packs = packs
    self.again = again
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

  /// Folds all persons and returns their number.
  private func fold(into sink: some RowSink) throws -> Int {
    // Cells hold units of the default rules only.
    var folder = PersonFolder(sink, options, hasCells: packs && options == .stored)
    var person: FoldedPerson?
    let first = again ? 1 : 0
    while try input.next(columns: again ? WorkerInput.refoldColumns : WorkerInput.eventColumns) {
      let next = FoldedPerson(
        isFormer: try again && input.required(input.integer(0), 0) != 0,
        app: try input.required(input.bytes(first), first),
        name: try input.required(input.bytes(first + 1), first + 1))
      if person != next {
        if let person, !(person < next) {
          throw WorkerFault(
            .data,
            "row \(input.count): app \(String(decoding: next.app, as: UTF8.self)), person "
              + "\(String(decoding: next.name, as: UTF8.self)) comes after a later one; expected order of app and user"
          )
        }
        person = next
        try folder.begin(next)
      }
      try input.withBytes(first + 2) { try folder.add(input.required($0, first + 2), row: input.count) }
    }
    try folder.end()
    return folder.personCount
  }
}

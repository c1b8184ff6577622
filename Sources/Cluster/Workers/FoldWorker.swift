public import Lifecycle

/// Folds the persons of a partition one after the other and writes packs of their facts and cells.
///
/// The input must be sorted by app and person as bytes, with each person's events in event order. Memory is bounded
/// by the largest person.
public enum FoldWorker {
  /// - Parameter again: Whether persons come twice, as they are now and as an earlier build folded them
  ///   (``WorkerInput/refoldColumns``); for the latter only the cells to subtract are written.
  public static func run(
    _ input: RowInput, _ output: RowOutput, options: FoldOptions, again: Bool = false
  ) throws {
    let packs = PackOutput(output, buckets: 1)
    var folder = PersonFolder(packs, options)
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
    try packs.end()
    try output.end(input, persons: folder.personCount)
  }
}

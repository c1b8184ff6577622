/// The lines of a run of persons, in their order, each with the file it belongs to.
struct EventBlock: Sendable {
  struct Line: Sendable {
    /// Position of the file: day of the sample × number of families + position of the family.
    var file: Int32
    /// End of the line, its `\n` included, in ``EventBlock/bytes``; it starts where the one before ends.
    var end: Int
  }

  var bytes: [UInt8] = []
  var lines: [Line] = []
}

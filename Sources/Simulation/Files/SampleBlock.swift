/// The lines of a range of users, in their order, each with its file.
struct SampleBlock: Sendable {
  struct Line: Sendable {
    /// Index of the file: day of the sample × number of families + index of the family.
    var file: Int32
    /// End of the line in ``SampleBlock/bytes``, after its `\n`; it starts where the previous line ends.
    var end: Int
  }

  var bytes: [UInt8] = []
  var lines: [Line] = []
}

/// Limits of reading, and the columns with a meaning of their own.
public struct ParquetOptions: Sendable {
  /// The most bytes of memory that pages and dictionaries may need at one time.
  public var memoryBytes = 1 << 30
  /// The most bytes of a row's text; a longer row is cut there.
  public var rowBytes = 1 << 20
  /// The columns of a native table: if all are there, local instants are UTC, and the texts of ``objectName`` are
  /// objects.
  public var nativeNames: [String] = []
  public var objectName = ""
  /// Members of every row that the file lacks, such as the keys of its folder.
  public var extras: [(name: String, value: String)] = []

  public init() {}
}

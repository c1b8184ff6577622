/// The reason why a Parquet file cannot be read.
public struct ParquetFailure: Error, CustomStringConvertible, Sendable, Equatable {
  public var reason: String

  public init(_ reason: String) { self.reason = reason }

  public var description: String { reason }

  static func damaged(_ what: String) -> ParquetFailure { ParquetFailure("damaged Parquet data: \(what)") }

  /// Returns the failure for what the format allows and this reader does not read.
  static func unread(_ what: String) -> ParquetFailure {
    ParquetFailure("\(what), which is not read; write it again: \(rewriting)")
  }

  /// The command that turns a file into one that can be read.
  static var rewriting: String { "duckdb -c \"COPY 'x.parquet' TO 'y.parquet' (CODEC zstd)\"" }
}

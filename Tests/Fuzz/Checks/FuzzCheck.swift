#if DEBUG || TOLLGATE_FUZZ
  import Ingest

  /// A check that must hold for any bytes: nothing crashes, accepted input encodes and decodes to the same, and the
  /// limits hold. The fuzzer and the tests run the same checks.
  public protocol FuzzCheck {
    /// - Returns: How many events (or files, or settings) were made of the bytes.
    /// - Throws: ``FuzzProblem``.
    mutating func check(_ bytes: [UInt8]) throws(FuzzProblem) -> Int
  }

  /// A promise that some bytes have broken.
  public struct FuzzProblem: Error, CustomStringConvertible {
    public var description: String

    init(_ description: String) { self.description = description }
  }

  /// The checks of what the ingest reads, by name.
  public enum DecoderChecks {
    public static let names =
      EventSource.allCases.filter { $0 != .auto }.map(\.rawValue)
      + ["csv", "mapped", "mapping", "signature", "files", "zstd", "gzip", "zip", "parquet"]

    /// - Returns: `nil` for a name that is not among ``names``.
    public static func named(_ name: String) -> (any FuzzCheck)? {
      switch name {
      case "native": NativeCheck()
      case "csv": CSVCheck()
      case "mapped": VendorCheck(MappedSample.mapping)
      case "mapping": MappingCheck()
      case "signature": SignatureCheck()
      case "files": FilesCheck()
      case "zstd": CompressionCheck(.zstd)
      case "gzip": CompressionCheck(.gzip)
      case "zip": CompressionCheck(.zip)
      case "parquet": ParquetCheck()
      default: VendorCheck(source: name)
      }
    }
  }
#endif

import CFuzzer
#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// libFuzzer over one check, with libFuzzer's own options.
public enum FuzzRun {
  /// libFuzzer's callback is a plain function, called by one thread.
  nonisolated(unsafe) private static var check: (UnsafeBufferPointer<UInt8>) -> Void = { _ in }

  /// - Parameters:
  ///   - arguments: The program, then libFuzzer's options and folders.
  ///   - check: Ends the process where a promise is broken.
  public static func run(_ arguments: [String], _ check: @escaping (UnsafeBufferPointer<UInt8>) -> Void) {
    self.check = check
    var count = CInt(arguments.count)
    // They are kept until the process ends.
    var texts = arguments.map { strdup($0) } + [nil]
    texts.withUnsafeMutableBufferPointer { texts in
      var start = texts.baseAddress
      _ = LLVMFuzzerRunDriver(&count, &start) { bytes, count in
        FuzzRun.check(UnsafeBufferPointer(start: bytes, count: count))
        return 0
      }
    }
  }
}

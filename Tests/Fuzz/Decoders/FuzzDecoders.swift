import CFuzzer
import FuzzChecks
#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// `FuzzDecoders CHECK [OPTION...] [FOLDER...]`: libFuzzer over one of the checks, with libFuzzer's own options.
@main
enum FuzzDecoders {
  /// libFuzzer's callback is a plain function, called by one thread.
  nonisolated(unsafe) static var check: any FuzzCheck = DecoderChecks.named("native")!

  static func main() {
    var arguments = CommandLine.arguments
    guard arguments.count > 1, let check = DecoderChecks.named(arguments[1]) else {
      print("usage: FuzzDecoders \(DecoderChecks.names.joined(separator: "|")) [OPTION...] [FOLDER...]")
      return
    }
    self.check = check
    arguments.remove(at: 1)
    var count = CInt(arguments.count)
    // They are kept until the process ends.
    var texts = arguments.map { strdup($0) } + [nil]
    texts.withUnsafeMutableBufferPointer { texts in
      var start = texts.baseAddress
      _ = LLVMFuzzerRunDriver(&count, &start) { bytes, count in
        do {
          _ = try FuzzDecoders.check.check(Array(UnsafeBufferPointer(start: bytes, count: count)))
        } catch {
          fatalError("\(error)")
        }
        return 0
      }
    }
  }
}

import FuzzChecks
import FuzzRun

/// `FuzzDecoders CHECK [OPTION...] [FOLDER...]`: libFuzzer over one of the checks, with libFuzzer's own options.
@main
enum FuzzDecoders {
  static func main() {
    var arguments = CommandLine.arguments
    guard arguments.count > 1, var check = DecoderChecks.named(arguments[1]) else {
      print("usage: FuzzDecoders \(DecoderChecks.names.joined(separator: "|")) [OPTION...] [FOLDER...]")
      return
    }
    arguments.remove(at: 1)
    FuzzRun.run(arguments) { bytes in
      do {
        _ = try check.check(Array(bytes))
      } catch {
        fatalError("\(error)")
      }
    }
  }
}

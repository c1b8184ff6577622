import Basics
import Ingest

/// A file that is read whole, however it is compressed.
enum SmallFile {
  private static let mostBytes = 64 << 20

  /// Returns the text of a file, or of standard input for `-`.
  static func text(of path: String) throws -> String {
    let input = path == "-" ? InputFile.standardInput : InputFile(pathBytes: Array(path.utf8), byteCount: nil)
    do {
      guard let bytes = try Onboarding.content(of: input, upTo: mostBytes) else {
        throw UsageError("\(path): is larger than \(mostBytes >> 20) MiB")
      }
      guard let text = String(validating: bytes, as: UTF8.self) else {
        throw UsageError("\(path): is not UTF-8 text; save it as UTF-8")
      }
      return text
    } catch let failure as Onboarding.Failure {
      let isWhole = failure.reason.hasPrefix("cannot be ")
      throw UsageError("\(path): \(isWhole ? "" : "cannot be read: ")\(failure.reason)")
    }
  }
}

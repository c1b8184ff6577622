internal import Basics
internal import Foundation

/// Temporary files that have no name and that only their owner can read.
enum NamelessFile {
  /// - Parameter folder: The folder; `nil` for that of temporary files.
  /// - Returns: A descriptor to read and write.
  static func create(in folder: String? = nil) throws(FileFailure) -> Int32 {
    let folder = folder ?? getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var path = Array("\(folder)/.tollgate-copy-XXXXXX".utf8CString)
    let descriptor = mkstemp(&path)
    guard descriptor >= 0 else { throw .system("cannot be copied to \(folder)") }
    unlink(path)
    return descriptor
  }

  static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) throws(FileFailure) {
    guard PartFile.write(bytes, to: descriptor) else { throw .system("cannot be copied to a temporary file") }
  }
}

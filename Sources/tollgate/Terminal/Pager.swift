import Foundation

/// The program that long tables on a terminal are read in.
enum Pager {
  /// `PAGER`, or `less -FRSX` where that is not set; `nil` for none.
  static func command(isOff: Bool) -> String? {
    if isOff { return nil }
    guard let pager = ProcessInfo.processInfo.environment["PAGER"] else { return "less -FRSX" }
    return pager.isEmpty || pager == "cat" ? nil : pager
  }

  /// Shows a text until the reader has seen it.
  ///
  /// - Returns: Whether the pager could be started.
  static func show(_ text: String, with command: String) throws -> Bool {
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-c", command]
    let pipe = Pipe()
    process.standardInput = pipe
    do {
      try process.run()
    } catch {
      return false
    }
    // A reader who leaves early closes the pipe.
    signal(SIGPIPE, SIG_IGN)
    try? pipe.fileHandleForWriting.write(contentsOf: Data(text.utf8))
    try? pipe.fileHandleForWriting.close()
    process.waitUntilExit()
    // The shell's status for a command that is not there.
    return process.terminationStatus != 127
  }
}

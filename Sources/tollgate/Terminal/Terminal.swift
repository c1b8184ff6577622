import Foundation

/// The terminal of the process.
enum Terminal {
  /// Columns of standard output; 80 if it is not a terminal or does not report its width.
  static var width: Int {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col >= 40 else { return 80 }
    return Int(size.ws_col)
  }

  /// Whether a progress bar is visible, because standard error is a terminal.
  static var showsProgress: Bool { isatty(STDERR_FILENO) == 1 }
}

import Foundation

/// The terminal that the program talks to.
enum Terminal {
  /// Columns of standard output; 80 where that is no terminal or does not say.
  static var width: Int {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col >= 40 else { return 80 }
    return Int(size.ws_col)
  }

  /// Whether a progress bar has somebody to look at it.
  static var showsProgress: Bool { isatty(STDERR_FILENO) == 1 }
}

import Foundation

enum Terminal {
  private static var size: winsize? {
    var size = winsize()
    return ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 ? size : nil
  }

  /// Columns of standard output; `nil` where that is not a terminal or does not say.
  static var columns: Int? { size.flatMap { $0.ws_col >= 20 ? Int($0.ws_col) : nil } }

  /// Lines of standard output; `nil` where that is not a terminal or does not say.
  static var lines: Int? { size.flatMap { $0.ws_row >= 5 ? Int($0.ws_row) : nil } }

  /// As the environment has them in `COLUMNS`.
  static var columnsAsked: Int? {
    ProcessInfo.processInfo.environment["COLUMNS"].flatMap { Int($0) }.flatMap { $0 >= 20 ? $0 : nil }
  }
}

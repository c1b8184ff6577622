public import Basics

/// The reason why a worker stops: one line with the place and the problem, and the exit status (sysexits.h).
public struct WorkerFault: ReadableError {
  public enum Status: Int32, Sendable {
    /// This program does not accept the command line, most often because it is from another version.
    case usage = 64
    /// The input is invalid.
    case data = 65
    case io = 74
  }

  public var status: Status
  public var description: String

  public init(_ status: Status, _ description: String) {
    self.status = status
    self.description = description
  }
}

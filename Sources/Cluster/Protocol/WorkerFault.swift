/// Why a worker gives up: one line that says where and what, and what the process ends with (sysexits.h).
public struct WorkerFault: Error, CustomStringConvertible {
  public enum Status: Int32, Sendable {
    /// The command line is not what this program takes: most often another version's.
    case usage = 64
    /// The input is not what it must be.
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

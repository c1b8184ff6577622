/// The faults of a file, for each of which nothing of it was imported, one line each: `rates.csv:7: ...`.
public struct ImportFaults: ReadableError {
  public var lines: [String]
  private static let listed = 20

  public init(lines: [String]) { self.lines = lines }

  public var description: String {
    let rest = lines.count - Self.listed
    return (lines.prefix(Self.listed) + (rest > 0 ? ["... and \(rest) more"] : [])).joined(separator: "\n")
      + "\nnothing was imported"
  }
}

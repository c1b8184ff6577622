/// An argument that is well-formed but impossible.
public struct UsageError: Error, CustomStringConvertible {
  public var description: String

  public init(_ description: String) { self.description = description }
}

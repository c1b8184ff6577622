/// The reason why a sample cannot be generated.
public struct SampleError: Error, Hashable, CustomStringConvertible {
  /// The problem, its place and the expected value.
  public var description: String

  init(_ description: String) {
    self.description = description
  }
}

/// Why a sample cannot be made.
public struct SampleError: Error, Hashable, CustomStringConvertible {
  /// What is wrong, where, and what is expected.
  public var description: String

  init(_ description: String) {
    self.description = description
  }
}

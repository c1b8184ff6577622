public import Basics

/// The reason why a sample cannot be generated.
public struct SampleError: ReadableError, Hashable {
  /// The problem, its place and the expected value.
  public var description: String

  init(_ description: String) {
    self.description = description
  }
}

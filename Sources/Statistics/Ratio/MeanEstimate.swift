/// A mean (or any estimate that is nearly normal) and its standard error.
public struct MeanEstimate: Hashable, Sendable {
  public var mean: Double
  /// Not negative.
  public var standardError: Double

  public init(mean: Double, standardError: Double) {
    precondition(standardError >= 0, "standardError is \(standardError), but must not be negative")
    self.mean = mean
    self.standardError = standardError
  }

  public var variance: Double { standardError * standardError }
}

public import Metrics

/// The files of people that agents may read, read again each time: saved views and the plans of experiments.
public struct AgentFiles: Sendable {
  let views: @Sendable () throws -> [NamedReport]
  /// `nil` for a server that was given no folder of plans.
  public var plans: (@Sendable () throws -> [PlanFile])?

  public init(
    views: @escaping @Sendable () throws -> [NamedReport], plans: (@Sendable () throws -> [PlanFile])?
  ) {
    (self.views, self.plans) = (views, plans)
  }

  /// Reads every file once.
  ///
  /// - Throws: An error with file and line for one that cannot be read.
  public func check() throws {
    _ = try views()
    _ = try plans?()
  }
}

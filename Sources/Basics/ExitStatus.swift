/// The status that the program ends with.
public enum ExitStatus: Int32, Sendable {
  case done = 0
  case failure = 1
  case usage = 2
  case incomplete = 3
  /// A threshold of a night was crossed.
  case threshold = 4
  case store = 5
}

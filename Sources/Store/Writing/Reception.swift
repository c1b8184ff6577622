internal import Ingest

/// The order of receptions of one content: by `received_at`, or `ts` if it is absent (Events.md).
enum Reception {
  /// Returns whether one reception comes before another; each is given as `received_at` − `ts`, or `nil` if
  /// `received_at` is absent.
  static func precedes(_ left: Int64?, _ right: Int64?) -> Bool {
    if (left ?? 0) != (right ?? 0) { return (left ?? 0) < (right ?? 0) }
    // At the same instant, a stated `received_at` comes before an assumed one.
    return left != nil && right == nil
  }

  /// Returns whether an id belongs to a fact from a vendor's mutable row, for which the newest version counts instead
  /// of the first.
  static func isOfMutableRow(_ eventID: some Sequence<UInt8>) -> Bool {
    eventID.starts(with: SourceSettings.mutableRowPrefix.utf8)
  }
}

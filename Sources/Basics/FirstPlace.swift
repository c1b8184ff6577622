extension RandomAccessCollection where Index == Int {
  /// Returns the first place from where on a condition holds, which no later element breaks; the end where it holds
  /// nowhere.
  @inlinable
  public func firstPlace(where holds: (Element) -> Bool) -> Int {
    var (low, high) = (startIndex, endIndex)
    while low < high {
      let middle = (low + high) / 2
      if holds(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

extension RandomAccessCollection where Index == Int {
  /// Returns the place of the first element that meets a condition, which all later ones meet, too; the end if none does.
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

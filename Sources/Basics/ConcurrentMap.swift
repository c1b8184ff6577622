internal import Dispatch

extension Array {
  /// Returns the results of independent work on each element, in the order of the elements, computed on one thread per
  /// core.
  ///
  /// - Parameter work: Must not change anything that the work on another element reads.
  public func concurrentMap<Result>(_ work: (Element) -> Result) -> [Result] {
    if count < 2 { return map(work) }
    return [Result](unsafeUninitializedCapacity: count) { places, initialized in
      nonisolated(unsafe) let (places, work, elements) = (places, work, self)
      DispatchQueue.concurrentPerform(iterations: count) { place in
        (places.baseAddress! + place).initialize(to: work(elements[place]))
      }
      initialized = count
    }
  }
}

extension Range<Int> {
  /// Returns the results of independent work on each number, in the order of the numbers, computed on one thread per
  /// core.
  public func concurrentMap<Result>(_ work: (Int) -> Result) -> [Result] { Array(self).concurrentMap(work) }
}

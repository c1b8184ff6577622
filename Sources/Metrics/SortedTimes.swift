/// Returns times in ascending order; by their bytes where they are many.
func sortedTimes(_ times: [Int64]) -> [Int64] { sortedByKey(times) { $0 } }

/// Returns elements in ascending order of their keys, those with equal ones in their own order; by the bytes of the keys
/// where elements are many.
@inline(__always)
func sortedByKey<Element>(_ elements: [Element], _ key: (Element) -> Int64) -> [Element] {
  guard elements.count > 256 else { return elements.sorted { key($0) < key($1) } }
  var (least, most) = (Int64.max, Int64.min)
  for element in elements { (least, most) = (min(least, key(element)), max(most, key(element))) }
  guard least >= 0 else { return elements.sorted { key($0) < key($1) } }
  let bits = 11
  var (from, to) = (elements, elements)
  var shift = 0
  while shift < Int64.bitWidth, most >> Int64(shift) > 0 {
    var starts = [Int](repeating: 0, count: 1 << bits + 1)
    for element in from { starts[Int(truncatingIfNeeded: key(element) >> Int64(shift)) & (1 << bits - 1) + 1] += 1 }
    for digit in 1..<starts.count { starts[digit] += starts[digit - 1] }
    for element in from {
      let digit = Int(truncatingIfNeeded: key(element) >> Int64(shift)) & (1 << bits - 1)
      to[starts[digit]] = element
      starts[digit] += 1
    }
    swap(&from, &to)
    shift += bits
  }
  return from
}

/// Goes past the times that are equal to one; returns how many there are.
func passTimes(_ times: [Int64], _ next: inout Int, equalTo time: Int64) -> Int {
  let first = next
  while next < times.count && times[next] == time { next += 1 }
  return next - first
}

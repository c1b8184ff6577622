/// Returns times in ascending order, by radix sort if there are many.
func sortedTimes(_ times: [Int64]) -> [Int64] { sortedByKey(times) { $0 } }

/// Returns elements in ascending order of their keys. The sort is stable, and a radix sort by the keys' bytes if there
/// are many elements.
@inline(__always)
func sortedByKey<Element>(_ elements: [Element], _ key: (Element) -> Int64) -> [Element] {
  guard elements.count > 256 else { return elements.sorted { key($0) < key($1) } }
  var (least, most) = (Int64.max, Int64.min)
  for element in elements { (least, most) = (min(least, key(element)), max(most, key(element))) }
  let (span, isTooWide) = most.subtractingReportingOverflow(least)
  if isTooWide { return elements.sorted { key($0) < key($1) } }
  let width = Int64.bitWidth - span.leadingZeroBitCount
  let passes = (width + 11) / 12
  if passes == 0 { return elements }
  let bits = (width + passes - 1) / passes
  let mask = 1 << bits - 1
  var (from, to) = (elements, elements)
  var starts = [Int](repeating: 0, count: mask + 2)
  for pass in 0..<passes {
    let shift = Int64(pass * bits)
    from.withUnsafeBufferPointer { from in
      to.withUnsafeMutableBufferPointer { to in
        starts.withUnsafeMutableBufferPointer { starts in
          starts.update(repeating: 0)
          for element in from { starts[Int((key(element) - least) >> shift) & mask + 1] += 1 }
          for digit in 1..<starts.count { starts[digit] += starts[digit - 1] }
          for element in from {
            let digit = Int((key(element) - least) >> shift) & mask
            to[starts[digit]] = element
            starts[digit] += 1
          }
        }
      }
    }
    swap(&from, &to)
  }
  return from
}

/// Returns the distinct times of two lists, ascending, with how often each list has them.
func mergedTimes(_ first: [Int64], _ second: [Int64]) -> (times: [Int64], first: [Int], second: [Int]) {
  let (first, second) = (sortedTimes(first), sortedTimes(second))
  var merged: (times: [Int64], first: [Int], second: [Int]) = ([], [], [])
  var (a, b) = (0, 0)
  while a < first.count || b < second.count {
    let time = min(a < first.count ? first[a] : .max, b < second.count ? second[b] : .max)
    merged.times.append(time)
    merged.first.append(passTimes(first, &a, equalTo: time))
    merged.second.append(passTimes(second, &b, equalTo: time))
  }
  return merged
}

/// Skips the times equal to the given one and returns how many there are.
func passTimes(_ times: [Int64], _ next: inout Int, equalTo time: Int64) -> Int {
  let first = next
  while next < times.count && times[next] == time { next += 1 }
  return next - first
}

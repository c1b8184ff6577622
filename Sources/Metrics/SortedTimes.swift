/// Returns times in ascending order; by their bytes where they are many.
func sortedTimes(_ times: [Int64]) -> [Int64] {
  guard times.count > 256, let least = times.min(), let most = times.max(), least >= 0 else { return times.sorted() }
  let bits = 11
  var (from, to) = (times, times)
  var shift = 0
  while shift < Int64.bitWidth, most >> Int64(shift) > 0 {
    var starts = [Int](repeating: 0, count: 1 << bits + 1)
    for time in from { starts[Int(truncatingIfNeeded: time >> Int64(shift)) & (1 << bits - 1) + 1] += 1 }
    for digit in 1..<starts.count { starts[digit] += starts[digit - 1] }
    for time in from {
      let digit = Int(truncatingIfNeeded: time >> Int64(shift)) & (1 << bits - 1)
      to[starts[digit]] = time
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

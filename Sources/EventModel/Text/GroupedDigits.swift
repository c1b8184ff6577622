/// Returns a count and its noun, such as `1 file` or `1,200 files`.
public func counted(_ count: Int, _ noun: String) -> String { "\(grouped(count)) \(noun)\(count == 1 ? "" : "s")" }

/// Returns a count with thousands separators.
public func grouped(_ count: Int) -> String {
  var text = ""
  for (index, digit) in String(abs(count)).reversed().enumerated() {
    if index > 0 && index % 3 == 0 { text.append(",") }
    text.append(digit)
  }
  return (count < 0 ? "-" : "") + String(text.reversed())
}

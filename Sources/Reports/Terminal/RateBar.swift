/// A thin bar from 0 to a rate, with a line over its interval, that fills its cell's width.
///
/// It repeats what stands above it in digits, so that it is hidden from those who listen to the page.
///
/// - Parameters:
///   - share: A fraction of 1; one that is negative has no place on the axis.
///   - end: Where the axis ends, a fraction of 1 above 0.
/// - Returns: An SVG element; empty without a bar.
func rateBar(_ share: Double?, _ bounds: ClosedRange<Double>?, end: Double) -> String {
  guard let share, share >= 0 else { return "" }
  let bar = #"<rect width="\#(percentOfAxis(share, end: end))%" height="5"/>"#
  guard let bounds else { return #"<svg aria-hidden="true">\#(bar)</svg>"# }
  let low = percentOfAxis(bounds.lowerBound, end: end)
  let width = percentOfAxis(bounds.upperBound - max(bounds.lowerBound, 0), end: end)
  let interval = #"<rect class="interval" x="\#(low)%" y="2" width="\#(width)%" height="1"/>"#
  return #"<svg aria-hidden="true">\#(bar)\#(interval)</svg>"#
}

private func percentOfAxis(_ share: Double, end: Double) -> String {
  let place = min(max(share / end, 0), 1) * 100
  return scaledHalfToEven(place, decimals: 1).map { fixedPointText($0, decimals: 1) } ?? "0"
}

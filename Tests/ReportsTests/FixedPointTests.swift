import Basics
import Foundation
import Testing

import Statistics

@testable import Reports

/// Oracle: C's `printf`, through Foundation.
struct FixedPointTests {
  private func expectPrintf(_ value: Double, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(sixDecimalText(value) == String(format: "%.6f", value), "\(value)", sourceLocation: sourceLocation)
  }

  @Test func sharesOfSmallCountsPrintAsInC() {
    for whole in 1...250 {
      for part in 0...whole {
        expectPrintf(Double(part) / Double(whole))
        expectPrintf(1 - Double(whole) / Double(part + 1))
      }
    }
  }

  @Test func valuesOfAllMagnitudesPrintAsInC() {
    var random = SplitMix64(seed: 20_260_312)
    for _ in 0..<50_000 {
      let magnitude =
        Double.random(in: 1..<2, using: &random) * pow(2, Double(Int.random(in: -80...99, using: &random)))
      expectPrintf(Bool.random(using: &random) ? magnitude : -magnitude)
    }
  }

  @Test func tiesAndTheirNeighboursPrintAsInC() {
    for numerator in 0..<4_000 {
      // Odd multiples of 2^-7 end in a 5 at the seventh decimal: exact ties.
      let tie = Double(numerator) / 128
      let nearDecimalTie = (Double(numerator) + 0.5) / 1e6
      for value in [tie, tie.nextUp, tie.nextDown, nearDecimalTie, nearDecimalTie.nextUp, nearDecimalTie.nextDown] {
        expectPrintf(value)
        if value > 0 { expectPrintf(-value) }
      }
    }
  }

  @Test(arguments: [
    0, 1, 5e-7, 4.9999999e-7, 1e-300, .leastNonzeroMagnitude, 0x1p-60, 0x1p-61, 0x1p99, -0.25, -1e-9, -4e-7, 0.9999995,
    0.99999949999,
  ])
  func edgesPrintAsInC(value: Double) { expectPrintf(value) }

  @Test func negativeZeroHasNoSign() { #expect(sixDecimalText(-0.0) == "0.000000") }

  @Test func whatIsNoNumberIsUndefined() {
    #expect(sixDecimalText(.nan) == nil)
    #expect(sixDecimalText(.infinity) == nil)
    #expect(sixDecimalText(-.infinity) == nil)
  }

  /// 0.04 and −0.0004 of a share round to 0 with one decimal, 0.06 to 0.1.
  @Test func whatRoundsToZeroHasNoSign() {
    #expect([-0.04, 0.04, -0.06, 0.06].map { signedText($0, decimals: 1) } == ["0.0", "0.0", "−0.1", "+0.1"])
    #expect(signedText(0.06, decimals: 1, hasPlus: false) == "0.1")
    let few = MetricText(.share, decimals: 1)
    #expect(few.change(-0.0004, Interval(low: -0.013, high: 0.0004)) == "0.0 pp (−1.3 to 0.0)")
    // An interval that leaves out 0 does not read as if it touched it.
    #expect(few.change(-0.053, Interval(low: -0.106, high: -0.0004)) == "−5.3 pp (−10.6 to −0.04)")
    #expect(pointsBounds(0.000_04, 0.02) == "+0.004 to +2.0")
    #expect(liftBoundsText(Interval(low: 0.0004, high: 0.2)) == "+0.04 to +20%")
    #expect(ChartUnit.points.value(-0.0004) == "0.0 pp" && pointsNumber(0.0004) == "0.0")
    #expect(liftText(-0.0004) == "0.0%" && yearlyText(-0.004, hasSign: true) == "0.00")
    #expect(ProgramText.lift(-0.0004) == "0.0%")
  }

  @Test func thousandsAreSeparated() {
    #expect(fixedPointText(0, decimals: 0, isGrouped: true) == "0")
    #expect(fixedPointText(999, decimals: 0, isGrouped: true) == "999")
    #expect(fixedPointText(1_000, decimals: 0, isGrouped: true) == "1,000")
    #expect(fixedPointText(-123_456_789, decimals: 2, isGrouped: true) == "-1,234,567.89")
    #expect(fixedPointText(-5, decimals: 2, isGrouped: true) == "-0.05")
  }
}

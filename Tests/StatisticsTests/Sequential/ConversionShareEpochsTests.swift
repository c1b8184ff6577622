import Statistics
import Testing

struct ConversionShareEpochsTests {
  private let even = ConversionShare(allocation: [1, 1], concentration: 20)
  private let ramped = ConversionShare(allocation: [9, 1], concentration: 20)

  @Test func aChangeOfAllocationStartsANewFactor() {
    var epochs = ConversionShareEpochs(ramped)
    epochs.add([80, 20])
    epochs.change(to: even)
    epochs.add([30, 40])
    epochs.add([5, 9])
    #expect(isClose(epochs.logEValue, ramped.logEValue([80, 20]) + even.logEValue([35, 49]), within: 1e-12))
  }

  @Test func oneEpochIsTheProcessItself() {
    var epochs = ConversionShareEpochs(even)
    epochs.add([10, 40])
    #expect(epochs.logEValue == even.logEValue([10, 40]))
    let p = epochs.p.value
    epochs.add([30, 0])
    #expect(epochs.p.value == p && p < 0.05)
  }
}

import EventModel
import Testing

/// Definitions 1.1: a clock runs ahead if `ts` is more than a day after `received_at`.
@Suite struct EventClockTests {
  @Test(arguments: [(-1, EventClock.timely), (86_400_000, .timely), (86_400_001, .early)] as [(Int64, EventClock)])
  func aDayApart(milliseconds: Int64, expected: EventClock) {
    let receivedAt: Int64 = 1_767_225_600_000
    #expect(EventClock(ts: receivedAt + milliseconds, receivedAt: receivedAt) == expected)
  }

  @Test func withoutTimeOfReceipt() {
    #expect(EventClock(ts: 1_767_225_600_000, receivedAt: nil) == .unmarked)
  }
}

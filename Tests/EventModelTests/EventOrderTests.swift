import EventModel
import Testing

/// Definitions 1.2: by `ts`, then by kind in the order of Events.md, in which `renewal`, `payment` and `plan_change`
/// follow each other.
@Suite struct EventOrderTests {
  private static let ordered: [(EventOrder.Key, EventOrder.Key)] = [
    ((0, .identify), (1, .exposure)), ((0, .renewal), (0, .payment)), ((0, .payment), (0, .planChange)),
    ((0, .activity), (0, .identify)),
  ]

  @Test func instantThenKind() {
    for (first, second) in Self.ordered {
      #expect(EventOrder.precedes(first, second) == true)
      #expect(EventOrder.precedes(second, first) == false)
    }
  }

  @Test(arguments: EventKind.allCases)
  func idsOrderEventsOfOneKindAndInstant(kind: EventKind) {
    #expect(EventOrder.precedes((5, kind), (5, kind)) == nil)
  }
}

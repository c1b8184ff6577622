import Foundation
import Ingest
import Store
import Testing

/// Tests facts from mutable rows: the newest of several versions counts, whatever the order of their files.
@Suite struct MutableRowTests {
  private static func line(_ version: Int, price: String) -> String {
    #"{"event_id":"\#(SourceSettings.mutableRowPrefix)payment:T1:1","event":"conversion","ts":"2026-03-01T00:00:00Z","received_at":"2026-03-0\#(version)T12:00:00Z","app":"a","user_id":"u","product_id":"p","plan":"monthly","price":\#(price),"currency":"EUR"}"#
  }

  private static func permutations<Element>(_ elements: [Element]) -> [[Element]] {
    if elements.count < 2 { return [elements] }
    return elements.indices.flatMap { place -> [[Element]] in
      var rest = elements
      let first = rest.remove(at: place)
      return permutations(rest).map { [first] + $0 }
    }
  }

  /// The price changes and changes back, so the third version has the content of the first.
  @Test func theNewestVersionStaysInAnyOrder() throws {
    let versions = [Self.line(1, price: "5"), Self.line(2, price: "6"), Self.line(3, price: "5")]
    for (versions, newest) in [(versions, "5"), (Array(versions.prefix(2)), "6")] {
      for order in Self.permutations(versions) {
        try withTestStore { store in
          for line in order { try store.ingest([line]) }
          let prices = try store.sqlite().rows("SELECT price FROM events").map { $0[0] ?? "" }
          #expect(prices.compactMap(Double.init) == [Double(newest)], "\(order)")
          #expect(try store.differencesFromRebuild() == [])
        }
      }
    }
  }
}

import EventModel
import Lifecycle
import Testing

@testable import Store

/// A field that the lists of an entry's columns lack is lost as soon as a store is read, forgotten or compared.
@Suite struct DictionaryEntryTests {
  private func fields(_ entry: some DictionaryEntry) -> Int { Mirror(reflecting: entry).children.count }

  @Test func everyFieldHasAColumn() {
    #expect(fields(ContextNames()) == ContextNames.names.count)
    // Besides names, a client has whether it is of the sandbox, and terms have a plan.
    #expect(fields(ClientNames()) == ClientNames.names.count + 1)
    let listed =
      TermsNames.names.count + TermsNames.flags.count + TermsNames.integers.count + TermsNames.decimals.count
    #expect(fields(TermsNames()) == listed + 1)
  }

  /// A name that keeps its number of a batch would be another one in the store.
  @Test func everyNameIsRenumbered() {
    func numbered<Entry: DictionaryEntry>(_ entry: Entry) -> Entry {
      var entry = entry
      for (place, name) in Entry.names.enumerated() { entry[keyPath: name.field] = UInt32(place + 1) }
      return entry
    }
    let context = numbered(ContextNames()).mapNames { Int32($0) + 100 }
    #expect(context.names == (1...context.names.count).map { UInt32($0 + 100) })
    let stored = Context(numbered(ContextNames())) { Int32($0) + 100 }
    #expect([stored.entryPoint, stored.experiment, stored.variant, stored.paywall] == [101, 102, 103, 104])
    let client = numbered(ClientNames()).mapNames { Int32($0) + 100 }
    #expect(client.names == (1...client.names.count).map { UInt32($0 + 100) })
    let terms = numbered(TermsNames()).mapNames { Int32($0) + 100 }
    #expect(terms.names == (1...terms.names.count).map { UInt32($0 + 100) })
  }
}

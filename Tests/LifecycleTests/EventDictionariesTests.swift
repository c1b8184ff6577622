import Lifecycle
import Testing

@Suite struct EventDictionariesTests {
  /// Definitions 1.5: neither sandbox nor family-shared events count.
  @Test func sandboxAndFamilySharedEventsDoNotCount() {
    var dictionaries = EventDictionaries()
    dictionaries.clientIsSandbox = [false, true]
    var shared = Terms()
    shared.isFamilyShared = true
    dictionaries.terms = [Terms(), shared]
    #expect(dictionaries.counts(client: 0, terms: 0))
    #expect(!dictionaries.counts(client: 1, terms: 0))
    #expect(!dictionaries.counts(client: 0, terms: 1))
    #expect(!dictionaries.counts(client: 1, terms: 1))
  }
}

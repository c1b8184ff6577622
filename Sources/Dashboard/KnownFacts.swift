internal import Reports
internal import Store
internal import Synchronization

/// Values that many pages need, for one version of the store.
final class KnownFacts: Sendable {
  private struct Content {
    var version: StoreVersion?
    var facts: StoreFacts?
    var facets: [[String]: ([Facet], [TimeMark])] = [:]
  }

  private let content = Mutex(Content())

  private func of<Value>(_ version: StoreVersion, _ read: (inout Content) -> Value) -> Value {
    content.withLock { content in
      if content.version != version { content = Content(version: version) }
      return read(&content)
    }
  }

  func facts(of version: StoreVersion) -> StoreFacts? { of(version) { $0.facts } }

  func set(_ facts: StoreFacts, of version: StoreVersion) { of(version) { $0.facts = facts } }

  func facets(of apps: [String], _ version: StoreVersion) -> ([Facet], [TimeMark])? { of(version) { $0.facets[apps] } }

  func set(_ facets: ([Facet], [TimeMark]), of apps: [String], _ version: StoreVersion) {
    of(version) { $0.facets[apps] = facets }
  }
}

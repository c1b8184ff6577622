internal import Reports
internal import Store
internal import Synchronization

/// Values that many pages need, for one version of the store.
final class KnownFacts: Sendable {
  struct Content {
    var version: StoreVersion?
    var facts: StoreFacts?
    /// By the apps asked for.
    var facets: [[String]: ([Facet], [TimeMark])] = [:]
  }

  private let content = Mutex(Content())

  func of<Value>(_ version: StoreVersion, _ read: (inout Content) -> Value) -> Value {
    content.withLock { content in
      if content.version != version { content = Content(version: version) }
      return read(&content)
    }
  }
}

internal import Foundation

/// Hands batches from the thread that makes them to the one that takes them, a few at a time.
///
/// `condition` guards every other field.
package final class BatchQueue<Element: Sendable>: @unchecked Sendable {
  private let condition = NSCondition()
  private let capacity: Int
  private var batches: [Element] = []
  private var end: Result<Void, any Error>?
  private var isCancelled = false

  package init(capacity: Int) { self.capacity = capacity }

  /// A queue that a thread of its own fills.
  ///
  /// - Parameters:
  ///   - thread: Its name.
  ///   - fill: Makes the batches; what it hands them to throws once nobody takes any more.
  package static func filled(
    capacity: Int, thread name: String, _ fill: @escaping @Sendable (_ put: (Element) throws -> Void) throws -> Void
  ) -> BatchQueue {
    let queue = BatchQueue(capacity: capacity)
    let thread = Thread {
      do {
        try fill { guard queue.put($0) else { throw CancellationError() } }
        queue.finish(.success(()))
      } catch {
        queue.finish(.failure(error))
      }
    }
    thread.name = name
    thread.stackSize = 4 << 20
    thread.start()
    return queue
  }

  /// Adds a batch when there is room; `false` once nobody takes any more.
  package func put(_ batch: Element) -> Bool {
    condition.lock()
    defer { condition.unlock() }
    while batches.count >= capacity && !isCancelled { condition.wait() }
    batches.append(batch)
    condition.broadcast()
    return !isCancelled
  }

  /// Says that no batch follows, and why.
  package func finish(_ result: Result<Void, any Error>) {
    condition.lock()
    defer { condition.unlock() }
    end = result
    condition.broadcast()
  }

  /// The next batch when there is one; `nil` at the end.
  ///
  /// - Throws: What the other thread failed with.
  package func take() throws -> Element? {
    condition.lock()
    defer { condition.unlock() }
    while batches.isEmpty && end == nil { condition.wait() }
    if !batches.isEmpty {
      condition.broadcast()
      return batches.removeFirst()
    }
    try end?.get()
    return nil
  }

  /// Waits until the thread that fills the queue has ended.
  package func join() {
    condition.lock()
    defer { condition.unlock() }
    while end == nil { condition.wait() }
  }

  /// Lets the thread that fills the queue go.
  package func cancel() {
    condition.lock()
    defer { condition.unlock() }
    isCancelled = true
    batches.removeAll()
    condition.broadcast()
  }
}

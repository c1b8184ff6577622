internal import Foundation

/// A bounded queue that passes batches from a producer thread to a consumer thread. Its capacity is a number of batches,
/// or what the producer weighs them by.
///
/// `condition` guards every other field.
package final class BatchQueue<Element: Sendable>: @unchecked Sendable {
  private let condition = NSCondition()
  private let capacity: Int
  private var batches: [(batch: Element, weight: Int)] = []
  private var weight = 0
  private var end: Result<Void, any Error>?
  private var isCancelled = false

  package init(capacity: Int) { self.capacity = capacity }

  /// Returns a queue that a new thread fills.
  ///
  /// - Parameters:
  ///   - thread: The thread's name.
  ///   - fill: Produces the batches; `put` throws once the queue is cancelled.
  package static func filled(
    capacity: Int, thread name: String, _ fill: @escaping @Sendable (_ put: (Element) throws -> Void) throws -> Void
  ) -> BatchQueue {
    let queue = BatchQueue(capacity: capacity)
    let thread = Thread {
      do {
        try fill(queue.put)
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

  /// Adds a batch once there is room.
  ///
  /// - Throws: `CancellationError` once the queue is cancelled.
  package func put(_ batch: Element) throws { try put(batch, weight: 1) }

  package func put(_ batch: Element, weight: Int) throws {
    condition.lock()
    defer { condition.unlock() }
    while self.weight >= capacity && !isCancelled { condition.wait() }
    if isCancelled { throw CancellationError() }
    batches.append((batch, weight))
    self.weight += weight
    condition.broadcast()
  }

  /// Ends the queue, with an error if the producer failed.
  package func finish(_ result: Result<Void, any Error>) {
    condition.lock()
    defer { condition.unlock() }
    end = result
    condition.broadcast()
  }

  /// Waits for the next batch and returns it; `nil` at the end.
  ///
  /// - Throws: The error of the producer.
  package func take() throws -> Element? {
    condition.lock()
    defer { condition.unlock() }
    while batches.isEmpty && end == nil { condition.wait() }
    if !batches.isEmpty {
      condition.broadcast()
      let first = batches.removeFirst()
      weight -= first.weight
      return first.batch
    }
    try end?.get()
    return nil
  }

  /// Waits until the producer thread has ended.
  package func join() {
    condition.lock()
    defer { condition.unlock() }
    while end == nil { condition.wait() }
  }

  /// Cancels the queue, so that the producer thread stops.
  package func cancel() {
    condition.lock()
    defer { condition.unlock() }
    isCancelled = true
    batches.removeAll()
    weight = 0
    condition.broadcast()
  }
}

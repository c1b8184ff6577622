internal import Foundation
internal import Synchronization

/// A cache of answers, each valid until the store changes.
///
/// A report is a function of the store and the request, never of the clock. Requests for an answer that is being computed
/// wait for it. After a commit, pages are computed again in the background; a request that would wait longer than
/// ``patience`` gets the previous page, which says so (stale-while-revalidate, RFC 5861 section 3).
actor AnswerCache<Version: Hashable & Sendable> {
  /// Whether a request waits for the answer that is being computed.
  enum Urgency: Sendable {
    case awaited
    /// No request waits: the previous answer is given meanwhile.
    case refresh
  }

  private struct Kept {
    var answer: StoredAnswer
    var version: Version
    var use: Int
    /// When the store was first seen with another content.
    var superseded: ContinuousClock.Instant?
  }

  private struct UnderWay {
    var task: Task<StoredAnswer, Never>
    /// The version that the answer is made from; while it waits for its turn, the version when it was requested.
    var version: Version
    var asked: ContinuousClock.Instant
    var urgency: Urgency
    /// Whether it has its turn, so that a request that needs it waits less than for one of its own.
    var isRunning = false
  }

  /// Of all answers together.
  private let mostBytes: Int
  /// How long after a commit the previous answer may be given.
  private let mostStale: Duration
  /// How long a request waits for the current answer, from the first request on, if there is a previous one.
  private let patience: Duration
  private var version: Version?
  private var kept: [String: Kept] = [:]
  private var underWay: [String: UnderWay] = [:]
  private var lastRefresh: Task<StoredAnswer, Never>?
  private var bytes = 0
  private var uses = 0

  init(mostBytes: Int = 128 << 20, mostStale: Duration, patience: Duration = .milliseconds(250)) {
    self.mostBytes = mostBytes
    self.mostStale = mostStale
    self.patience = patience
  }

  /// Records the store's version, from which the age of older answers counts.
  func see(_ version: Version) {
    guard version != self.version else { return }
    self.version = version
    let now = ContinuousClock.now
    for (request, answer) in kept {
      let superseded = answer.version == version ? nil : answer.superseded ?? now
      kept[request]?.superseded = superseded
      if let superseded, now - superseded >= mostStale { drop(request) }
    }
  }

  /// - Parameters:
  ///   - request: The path and query, in full.
  ///   - version: The store's version now; `nil` if unknown, and then nothing is cached.
  ///   - isCurrent: Whether the previous answer will not do.
  ///   - urgency: Applies if there is no answer yet.
  func answer(
    to request: String, of version: @autoclosure @escaping @Sendable () -> Version?, isCurrent: Bool,
    urgency: Urgency = .awaited, _ make: @escaping @Sendable () async -> StoredAnswer
  ) async -> StoredAnswer {
    guard let now = version() else { return await make() }
    see(now)
    uses += 1
    kept[request]?.use = uses
    guard let former = kept[request] else {
      return await making(request, of: version, now, orFormer: !isCurrent, urgency, make).task.value
    }
    guard let superseded = former.superseded else { return former.answer }
    let age = ContinuousClock.now - superseded
    guard !isCurrent, age < mostStale else {
      return await making(request, of: version, now, orFormer: false, urgency, make).task.value
    }
    let current = making(request, of: version, now, orFormer: true, .refresh, make)
    if let answer = await current.task.value(until: current.asked + patience), answer.isLasting {
      return answer
    }
    var answer = former.answer
    answer.age = age
    return answer
  }

  /// Returns the answer that is being computed for a request; starts it if needed.
  ///
  /// - Parameter orFormer: Whether one that started before the last commit will do.
  private func making(
    _ request: String, of version: @escaping @Sendable () -> Version?, _ now: Version, orFormer: Bool,
    _ urgency: Urgency, _ make: @escaping @Sendable () async -> StoredAnswer
  ) -> UnderWay {
    if let current = underWay[request], orFormer || current.version == now,
      urgency == .refresh || current.urgency == .awaited || current.isRunning
    {
      return current
    }
    let asked = ContinuousClock.now
    let previous = urgency == .refresh ? lastRefresh : nil
    let task = Task {
      // One after the other, so that the cores are left to those who wait.
      if let previous { _ = await previous.value }
      let (begun, version) = (ContinuousClock.now, urgency == .refresh ? version() : now)
      if underWay[request]?.asked == asked {
        underWay[request]?.isRunning = true
        if let version { underWay[request]?.version = version }
      }
      let answer = await make()
      if underWay[request]?.asked == asked { underWay[request] = nil }
      if let version { keep(answer, for: request, of: version, begun: begun) }
      return answer
    }
    if urgency == .refresh { lastRefresh = task }
    let current = UnderWay(task: task, version: now, asked: asked, urgency: urgency)
    underWay[request] = current
    return current
  }

  private func keep(
    _ answer: StoredAnswer, for request: String, of version: Version, begun: ContinuousClock.Instant
  ) {
    // A few of the largest would leave no room for all others.
    guard answer.isLasting, answer.bytes.count <= mostBytes / 16 else { return }
    let isCurrent = version == self.version
    if !isCurrent, mostStale == .zero || kept[request]?.version == self.version { return }
    drop(request)
    kept[request] = Kept(answer: answer, version: version, use: uses, superseded: isCurrent ? nil : begun)
    bytes += Self.byteCount(answer, request)
    while bytes > mostBytes, let oldest = kept.min(by: { $0.value.use < $1.value.use }) { drop(oldest.key) }
  }

  private func drop(_ request: String) {
    if let answer = kept.removeValue(forKey: request)?.answer { bytes -= Self.byteCount(answer, request) }
  }

  /// The bytes of an answer, its request and their table entries.
  private static func byteCount(_ answer: StoredAnswer, _ request: String) -> Int {
    answer.bytes.count + request.utf8.count + 256
  }
}

extension Task where Failure == Never {
  /// - Returns: `nil` where the task is not done in time; it goes on.
  func value(until instant: ContinuousClock.Instant) async -> Success? {
    guard ContinuousClock.now < instant else { return nil }
    return await withCheckedContinuation { continuation in
      let waiting = FirstOf(continuation)
      Task<Void, Never> { waiting.resume(await value) }
      Task<Void, Never> {
        try? await Task<Never, Never>.sleep(until: instant)
        waiting.resume(nil)
      }
    }
  }
}

/// A continuation that the first of several resumes.
private final class FirstOf<Value: Sendable>: Sendable {
  private let continuation: Mutex<CheckedContinuation<Value, Never>?>

  init(_ continuation: CheckedContinuation<Value, Never>) { self.continuation = Mutex(continuation) }

  func resume(_ value: Value) {
    let first = continuation.withLock { continuation in
      defer { continuation = nil }
      return continuation
    }
    first?.resume(returning: value)
  }
}

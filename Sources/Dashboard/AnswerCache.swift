internal import Foundation
internal import Synchronization

/// Answers, kept until the store has changed, and for a while longer to those who take a former one.
///
/// A report is a function of the store and of what is asked for, and never of the clock. Requests for what is being made
/// wait for it instead of making it again. After a commit a page is made anew beside the requests for it: who would wait
/// longer than ``patience`` gets the former page, which says so (stale-while-revalidate, RFC 5861 section 3).
actor AnswerCache<Version: Hashable & Sendable> {
  /// The readers who wait for an answer that is being made.
  enum Urgency: Sendable {
    case awaited
    /// Nobody, as all have a former answer.
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
  }

  /// Together.
  private let mostBytes: Int
  /// How long after a commit a former answer is given.
  private let mostStale: Duration
  /// The time that a request waits for the current answer, from the first request on, if there is a former one.
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

  /// Takes notice of the store's content, so that the age of what was made of another is known.
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
  ///   - request: What is asked for, in full.
  ///   - version: The store's content now; `nil` where it is not known, and nothing is kept.
  ///   - isCurrent: Whether no former answer will do.
  ///   - urgency: Of an answer that has to be made before there is any.
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
    if let answer = await Self.value(of: current.task, until: current.asked + patience), answer.isLasting {
      return answer
    }
    var answer = former.answer
    answer.age = age
    return answer
  }

  /// Returns the answer under way for a request; starts one if there is none.
  ///
  /// - Parameter orFormer: Whether one that was begun before the last commit will do.
  private func making(
    _ request: String, of version: @escaping @Sendable () -> Version?, _ now: Version, orFormer: Bool,
    _ urgency: Urgency, _ make: @escaping @Sendable () async -> StoredAnswer
  ) -> UnderWay {
    if let current = underWay[request], orFormer || current.version == now,
      urgency == .refresh || current.urgency == .awaited
    {
      return current
    }
    let asked = ContinuousClock.now
    let previous = urgency == .refresh ? lastRefresh : nil
    let task = Task {
      // One after the other, so that the cores are left to those who wait.
      if let previous { _ = await previous.value }
      let (begun, version) = (ContinuousClock.now, urgency == .refresh ? version() : now)
      if let version, underWay[request]?.asked == asked { underWay[request]?.version = version }
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

  /// An answer with its request and what the tables hold of both.
  private static func byteCount(_ answer: StoredAnswer, _ request: String) -> Int {
    answer.bytes.count + request.utf8.count + 256
  }

  /// - Returns: `nil` where the task is not done in time; it goes on.
  private static func value(
    of task: Task<StoredAnswer, Never>, until instant: ContinuousClock.Instant
  ) async -> StoredAnswer? {
    guard ContinuousClock.now < instant else { return nil }
    return await withCheckedContinuation { continuation in
      let waiting = FirstOf(continuation)
      Task { waiting.resume(await task.value) }
      Task {
        try? await Task.sleep(until: instant)
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

internal import Foundation
internal import Hummingbird
internal import Serving

/// A finished answer as bytes.
struct StoredAnswer: Sendable {
  var bytes: [UInt8]
  var type: String
  var status = HTTPResponse.Status.ok
  /// Whether the same request has the same answer until the store changes.
  var isLasting = true

  var response: Response { Response(bytes, type: type, status: status) }
}

/// Answers, kept as long as the store has the content that they were made of.
///
/// A report is a function of the store and of what is asked for, and never of the clock. Requests for what is being made
/// wait for it instead of making it again.
actor AnswerCache<Version: Hashable & Sendable> {
  /// Together.
  private let mostBytes: Int
  private var version: Version?
  private var kept: [String: (answer: StoredAnswer, use: Int)] = [:]
  private var underWay: [String: Task<StoredAnswer, Never>] = [:]
  private var bytes = 0
  private var uses = 0

  init(mostBytes: Int = 128 << 20) { self.mostBytes = mostBytes }

  /// - Parameters:
  ///   - request: What is asked for, in full.
  ///   - version: The store's content before the answer is made; `nil` where it is not known, and nothing is kept.
  func answer(
    to request: String, of version: Version?, _ make: @escaping @Sendable () async -> StoredAnswer
  ) async -> StoredAnswer {
    guard let version else { return await make() }
    if version != self.version {
      self.version = version
      (kept, underWay, bytes) = ([:], [:], 0)
    }
    uses += 1
    if let answer = kept[request]?.answer {
      kept[request]?.use = uses
      return answer
    }
    if let task = underWay[request] { return await task.value }
    let task = Task { await make() }
    underWay[request] = task
    let answer = await task.value
    // Meanwhile the store may have changed.
    if version == self.version {
      underWay[request] = nil
      // A few of the largest would leave no room for all others.
      if answer.isLasting, answer.bytes.count <= mostBytes / 16 { keep(answer, for: request) }
    }
    return answer
  }

  private func keep(_ answer: StoredAnswer, for request: String) {
    kept[request] = (answer, uses)
    bytes += answer.bytes.count
    while bytes > mostBytes, let oldest = kept.min(by: { $0.value.use < $1.value.use }) {
      kept[oldest.key] = nil
      bytes -= oldest.value.answer.bytes.count
    }
  }
}

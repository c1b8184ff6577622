/// Work on portions by two threads, in turn. The calling thread reads the portions and takes the outputs in their order,
/// so that only it uses a connection.
package enum OrderedWork {
  /// The number of portions that have been read and not been taken.
  private static let capacity = 4

  /// Reads portions, works on them, and takes the outputs in order. The threads have ended when this returns.
  ///
  /// - Parameters:
  ///   - isAside: Whether to work on other threads; without, all is done here, one portion after another.
  ///   - read: Calls `put` with each portion.
  ///   - worker: Makes the function of one thread that works on portions.
  package static func run<Portion: Sendable, Output: Sendable>(
    aside isAside: Bool, read: (_ put: (Portion) throws -> Void) throws -> Void,
    worker: @escaping @Sendable () -> (Portion) throws -> Output, take: (Output) throws -> Void
  ) throws {
    try withoutActuallyEscaping(take) { take in
      if isAside { return try runAside(read, worker, take) }
      let work = worker()
      try read { try take(work($0)) }
    }
  }

  private static func runAside<Portion: Sendable, Output: Sendable>(
    _ read: (_ put: (Portion) throws -> Void) throws -> Void,
    _ worker: @escaping @Sendable () -> (Portion) throws -> Output, _ take: @escaping (Output) throws -> Void
  ) throws {
    let inputs = (0..<2).map { _ in BatchQueue<Portion>(capacity: capacity) }
    let outputs = inputs.map { input in
      BatchQueue<Output>.filled(capacity: capacity, thread: "work") { put in
        let work = worker()
        while let portion = try input.take() { try put(work(portion)) }
      }
    }
    defer {
      for input in inputs {
        input.cancel()
        input.finish(.success(()))
      }
      for output in outputs {
        output.cancel()
        output.join()
      }
    }
    var (given, taken) = (0, 0)
    func takeNext() throws {
      guard let output = try outputs[taken % 2].take() else { return }
      taken += 1
      try take(output)
    }
    try read { portion in
      if given - taken == capacity { try takeNext() }
      try inputs[given % 2].put(portion)
      given += 1
    }
    while taken < given { try takeNext() }
  }
}

import Basics
import Testing

@Suite struct ConcurrentMapTests {
  @Test(arguments: [0, 1, 2, 50])
  func resultsComeInOrderWhateverTheCores(count: Int) {
    #expect((0..<count).concurrentMap { $0 * $0 } == (0..<count).map { $0 * $0 })
    #expect(Array((0..<count).dropFirst()).concurrentMap { "\($0)" } == (0..<count).dropFirst().map { "\($0)" })
  }
}

import Foundation
import Testing

@testable import Basics

@Suite struct SystemReasonTests {
  @Test func aFullDiskSaysHowMuchIsLeftAndNeeded() {
    #expect(SystemReason.fullDisk(free: 24_576) == "the disk is full: 24 KB free")
    #expect(
      SystemReason.fullDisk(free: 1_250_000, needed: 18_900_000)
        == "the disk is full: 1.2 MB free, about 18.9 MB needed")
    #expect(SystemReason.fullDisk(free: nil) == "the disk is full")
    let text = SystemReason.text(ENOSPC, at: "/tmp/no-such-file")
    #expect(text.hasPrefix("the disk is full: ") && text.hasSuffix("; free some space and run the command again"))
  }

  @Test func otherReasonsAreThoseOfTheSystem() {
    #expect(SystemReason.text(ENOENT, at: "/tmp") == "No such file or directory")
    #expect(SystemReason.permission(at: "/tmp/no-such-file") == nil)
  }
}

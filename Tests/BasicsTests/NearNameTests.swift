import Basics
import Testing

struct NearNameTests {
  /// Two neighbours that changed places are one slip of the hand (Damerau 1964).
  @Test(arguments: [("lvt", "ltv"), ("mpc", "mcp"), ("fnunel", "funnel"), ("anchr", "anchor")])
  func oneSlipIsNear(typed: String, meant: String) {
    #expect(NearName.of(typed, in: ["trials", meant]) == meant)
  }

  @Test(arguments: ["ltx", "vlt", "mrr"])
  func twoSlipsInThreeLettersAreAnotherName(typed: String) {
    #expect(NearName.of(typed, in: ["lvtt"]) == nil && NearName.of("abc", in: [typed]) == nil)
  }
}

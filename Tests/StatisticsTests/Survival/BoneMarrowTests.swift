import Statistics
import Testing

/// Bone marrow transplants (Klein & Moeschberger 2003, section 1.3; R `KMsurv::bmt`): days to relapse (1), death in
/// remission (2) or the last visit (0), by risk group: ALL, AML low, AML high.
struct BoneMarrowTests {
  private static let times: [[(Int, Int)]] = [
    [
      (2081, 0), (1602, 0), (1496, 0), (1462, 0), (1433, 0), (1377, 0), (1330, 0), (996, 0), (226, 0), (1199, 0),
      (1111, 0), (530, 0), (1182, 0), (1167, 0), (418, 2), (383, 1), (276, 2), (104, 1), (609, 1), (172, 2), (487, 2),
      (662, 1), (194, 2), (230, 1), (526, 2), (122, 2), (129, 1), (74, 1), (122, 1), (86, 2), (466, 2), (192, 1),
      (109, 1), (55, 1), (1, 2), (107, 2), (110, 1), (332, 2),
    ],
    [
      (2569, 0), (2506, 0), (2409, 0), (2218, 0), (1857, 0), (1829, 0), (1562, 0), (1470, 0), (1363, 0), (1030, 0),
      (860, 0), (1258, 0), (2246, 0), (1870, 0), (1799, 0), (1709, 0), (1674, 0), (1568, 0), (1527, 0), (1324, 0),
      (957, 0), (932, 0), (847, 0), (848, 0), (1850, 0), (1843, 0), (1535, 0), (1447, 0), (1384, 0), (414, 2),
      (2204, 2), (1063, 2), (481, 2), (105, 2), (641, 2), (390, 2), (288, 2), (421, 1), (79, 2), (748, 1), (486, 1),
      (48, 2), (272, 1), (1074, 2), (381, 1), (10, 2), (53, 2), (80, 2), (35, 2), (248, 1), (704, 2), (211, 1),
      (219, 1), (606, 1),
    ],
    [
      (2640, 0), (2430, 0), (2252, 0), (2140, 0), (2133, 0), (1238, 0), (1631, 0), (2024, 0), (1345, 0), (1136, 0),
      (845, 0), (422, 1), (162, 2), (84, 1), (100, 1), (2, 2), (47, 1), (242, 1), (456, 1), (268, 1), (318, 2), (32, 1),
      (467, 1), (47, 1), (390, 1), (183, 2), (105, 2), (115, 1), (164, 2), (93, 1), (120, 1), (80, 2), (677, 2),
      (64, 1), (168, 2), (74, 2), (16, 2), (157, 1), (625, 1), (48, 1), (273, 1), (63, 2), (76, 1), (113, 1), (363, 2),
    ],
  ]

  private static let records = times.enumerated().flatMap { group, subjects in
    subjects.map { SurvivalRecord(time: Double($0.0), cause: $0.1, group: group) }
  }

  /// R `cmprsk`: 11.92, p = 0.0026 for relapse.
  @Test func grayTestOfThreeGroups() throws {
    let test = try #require(grayTest(Self.records, cause: 1))
    #expect(isClose(test.chiSquare, 11.92, within: 5e-3) && isClose(test.p, 0.0026, within: 5e-5))
    #expect(test.degrees == 2 && Self.records.count == 137)
  }

  /// Klein & Moeschberger (2003), section 7.3: disease-free survival, χ² = 13.80, p = 0.001.
  @Test func logRankOfThreeGroups() throws {
    let test = try #require(logRankTest(Self.records))
    #expect(isClose(test.chiSquare, 13.80, within: 5e-3) && test.degrees == 2)
  }

  @Test func testsDoNotDependOnTheOrderOfGroups() throws {
    let turned = Self.records.map { SurvivalRecord(time: $0.time, cause: $0.cause, group: ($0.group + 1) % 3) }
    let (gray, logRank) = (try #require(grayTest(Self.records, cause: 1)), try #require(logRankTest(Self.records)))
    #expect(isClose(grayTest(turned, cause: 1)?.chiSquare, gray.chiSquare, within: 1e-9))
    #expect(isClose(logRankTest(turned)?.chiSquare, logRank.chiSquare, within: 1e-9))
  }
}

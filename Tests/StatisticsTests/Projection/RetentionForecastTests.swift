import Statistics
import Testing

struct RetentionForecastTests {
  private let highEnd: RenewalCounts = {
    var counts = RenewalCounts()
    counts.add(alive: [1000, 869, 743, 653, 593, 551, 517, 491])
    return counts
  }()

  /// Fader, Hardie, Liu, Davin & Steenburgh (2018): years 8–12 of the High End segment; observed are 46.8, 44.5, 42.7,
  /// 40.9 and 39.4 %.
  @Test func rangeOfBothModelsHoldsThePublishedForecasts() throws {
    let forecast = try #require(retentionForecast(highEnd, through: 12))
    let published = [(46.0, 46.8), (43.6, 44.8), (41.4, 43.2), (39.5, 41.7), (37.8, 40.4)]
    for (year, (geometric, weibull)) in zip(8...12, published) {
      #expect(isClose(forecast.range[year].low, geometric / 100, within: 0.0006), "\(year)")
      #expect(isClose(forecast.range[year].high, weibull / 100, within: 0.0006), "\(year)")
    }
    #expect(forecast.better == .betaDiscreteWeibull)
  }

  @Test func withFewRenewalsThereIsNoChoice() throws {
    var counts = RenewalCounts()
    counts.add(alive: [5000, 4100, 3600, 3300])
    let forecast = try #require(retentionForecast(counts, through: 6))
    #expect(forecast.better == nil && forecast.shiftedBetaGeometric.count == 7)
    #expect(retentionForecast(RenewalCounts(lost: [3], kept: [7]), through: 6) == nil)
  }
}

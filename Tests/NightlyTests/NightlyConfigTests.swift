import Basics
import FolderSupport
import Foundation
import Metrics
import Testing

@testable import Nightly

@Suite struct NightlyConfigTests {
  /// A command line that knows one report.
  private struct Commands: NightlyCommands {
    func report(_ words: [String]) throws -> NightlyReportMaker {
      if words.first != "funnel" { throw UsageError("it must be funnel") }
      return { _ in {} }
    }
    func request(_ words: [String]) throws -> ReportRequest { ReportRequest(.funnel) }
    func output(_ words: [String]) throws -> String? { nil }
    func reading(store: String?) -> Self { self }
    func status(of error: any Error) -> Basics.ExitStatus { .usage }
    func message(of error: any Error) -> String { "\(error)" }
  }

  private static func config(_ yaml: String) throws -> NightlyConfig {
    try NightlyConfig(yaml: Data(yaml.utf8), name: "night.yaml", commands: Commands())
  }

  @Test func aConfigIsRead() throws {
    let config = try Self.config(
      """
      sources: [{files: e*, source: revenuecat, app: steps, plans: {pro: yearly}}]
      thresholds:
        freshness_hours: {steps: 36}
      reports: ["funnel --output 'a b.csv'"]
      repeat: true
      """)
    #expect(config.sources.map(\.settings.source) == [.revenuecat])
    #expect(config.sources.map(\.settings.plans) == [["pro=yearly"]])
    #expect(config.thresholds.freshnessHours.map(\.app) == ["steps"])
    #expect(config.reports.map(\.text) == ["funnel --output 'a b.csv'"] && config.repeats)
    #expect(config.summary == "1 source, 1 report")
  }

  @Test(arguments: [
    ("", ["night.yaml", "empty"]),
    ("sources: [", ["night.yaml", "YAML"]),
    ("source: x", ["night.yaml:1", "source", "expected one of", "sources"]),
    ("store: a.db", ["sources", "is missing", "events/"]),
    ("sources: events", ["sources must list the files", "events/"]),
    ("sources: [{files: nowhere}]", ["night.yaml:1: sources.files", "nowhere", "does not exist"]),
    ("sources: [{files: e*, source: mixpanel}]", ["sources", "mixpanel"]),
    ("sources: [{files: e*, plans: {pro: daily}}]", ["pro=daily", "weekly"]),
    ("sources: [{files: e*}]\nexpect: [{files: e-1}]", ["night.yaml:2: expect.files", "e-1", "{day}"]),
    ("sources: [{files: e*}]\nexpect: [{files: 'e-{day}', count: 0}]", ["expect.count", "is 0", "from 1"]),
    ("sources: [{files: e*}]\ntimezone: Berlin", ["timezone", "Berlin", "Europe/Berlin"]),
    ("sources: [{files: e*}]\nthresholds: {quarantine_share: 1%}", ["thresholds.quarantine_share", "1%", "number"]),
    ("sources: [{files: e*}]\nthresholds: {freshness_hours: {demo: -1}}", ["freshness_hours.demo", "-1", "above 0"]),
    ("sources: [{files: e*}]\nexperiments: {a: nowhere.yaml}", ["experiments.a", "nowhere.yaml"]),
    ("sources: [{files: e*}]\nrepeat: maybe", ["repeat", "maybe", "true or false"]),
    ("sources: [{files: e*}]\nreports: [forget --user x]", ["night.yaml:2: reports", "forget --user x", "funnel"]),
  ])
  func aWrongConfigIsRefusedByLineAndKey(yaml: String, words: [String]) {
    do {
      _ = try Self.config(yaml)
      Issue.record("\(yaml) is read")
    } catch {
      for word in words { #expect("\(error)".contains(word), "\(yaml): \(error)") }
    }
  }
}

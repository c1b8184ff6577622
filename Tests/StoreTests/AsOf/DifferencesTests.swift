import Basics
import FolderSupport
import Foundation
import Ingest
import Metrics
import Reports
import Store
import Testing

/// The contributions of the causes add up to the change, for random pairs of known events.
@Suite struct DifferencesTests {
  /// Checks the report's printed numbers: before + causes = after, and both equal the numbers of the two reports.
  private func check(
    _ kind: ReportKind, _ before: Differences.Side, _ after: Differences.Side, _ what: String
  ) throws -> Int {
    let differences = try Differences(kind, from: before, to: after)
    let report = Report(differences)
    let first = differences.keyColumns.count + 1
    let text = Table(render: try render(report, as: .csv))
    let (old, new) = (try table(kind, before), try table(kind, after))
    for row in text.rows {
      let place = "\(kind.name) \(row.prefix(first)), \(what)"
      let numbers = row[first...].map { $0.isEmpty ? nil : Decimal(string: $0) }
      let key = row.prefix(first).map { Array($0.utf8) }
      #expect(old[key] ?? numbers[0] == numbers[0], "before, \(place)")
      #expect(new[key] ?? numbers[1] == numbers[1], "after, \(place)")
      guard let change = numbers[2] else {
        #expect(numbers[0] == nil || numbers[1] == nil, "\(place)")
        continue
      }
      #expect(numbers[0]! + change == numbers[1]!, "\(place)")
      let causes = numbers.dropFirst(3)
      #expect(causes.allSatisfy { $0 != nil }, "\(place)")
      #expect(causes.reduce(Decimal(0)) { $0 + ($1 ?? 0) } == change, "\(place)")
    }
    // Every changed number is listed.
    let listed = Set(text.rows.map { $0.prefix(first).map { Array($0.utf8) } })
    for (key, value) in new where old[key] != nil && old[key] != value {
      #expect(listed.contains(key), "\(key), \(what)")
    }
    return text.rows.count
  }

  /// Returns a report's numbers, except interval bounds, by key and column, with each app at its own as-of.
  private func table(_ kind: ReportKind, _ side: Differences.Side) throws -> [[[UInt8]]: Decimal] {
    let report = try kind.report(side.snapshot, side.options)
    let text = Table(render: try render(report, as: .csv))
    let keys = report.columns.count { $0.kind == .key }
    var numbers: [[[UInt8]]: Decimal] = [:]
    for row in text.rows {
      for (column, value) in zip(report.columns, row)
      where column.kind != .key && column.kind != .text && column.kind != .low && column.kind != .high {
        if let number = Decimal(string: value) {
          numbers[(row.prefix(keys) + [column.name]).map { Array($0.utf8) }] = number
        }
      }
    }
    return numbers
  }

  private struct Table {
    var rows: [[String]]

    init(render text: String) {
      rows = text.split(separator: "\n").dropFirst().map {
        $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      }
    }
  }

  private static func options(_ kind: ReportKind) -> ReportOptions {
    var options = ReportOptions()
    options.by = kind == .activity ? [.week] : [.variant]
    return options
  }

  @Test(arguments: 1...3)
  func whatCausesBringBetweenTwoFilesAddsUp(seed: Int) throws {
    var random = SplitMix64(seed: UInt64(100 + seed))
    let files = KnownAtTests.files(&random, count: 4, sampleLimit: 100)
    try withTestStore { store in
      for file in files { try store.ingest(file) }
      let full = try Store.open(readOnly: store.path)
      let known = try (1...3).map { number in try full.read { try $0.known(at: .file(Int64(number))) } }
      var rows = 0
      for (old, new) in [(seed % 2, 2)] {
        try known[old].store.read { before in
          try known[new].store.read { after in
            for kind in ReportKind.explained where kind.name.count % 3 == seed % 3 || kind == .funnel {
              let options = Self.options(kind)
              rows += try check(
                kind, Differences.Side(before, options), Differences.Side(after, options),
                "seed \(seed), \(old) to \(new)")
            }
          }
        }
      }
      #expect(rows > 20)
    }
  }

  @Test func whatCausesBringBetweenTwoInstantsAddsUp() throws {
    var random = SplitMix64(seed: 7)
    let files = KnownAtTests.files(&random, count: 1, sampleLimit: 200)
    try withTestStore { store in
      try store.ingest(files[0])
      let (one, two) = (try Store.open(readOnly: store.path), try Store.open(readOnly: store.path))
      var rows = 0
      for (old, new) in [(at(9), at(30)), (at(39.5), at(61))] {
        try one.read { before in
          try two.read { after in
            for kind in [ReportKind.trials, .cancellations, .mrr, .retention, .activity] {
              var (earlier, later) = (Self.options(kind), Self.options(kind))
              earlier.asOf = old
              later.asOf = new
              rows += try check(
                kind, Differences.Side(before, earlier), Differences.Side(after, later), "as of \(old) and \(new)")
            }
          }
        }
      }
      #expect(rows > 20)
    }
  }

  /// One snapshot answers from facts, two compare their events one by one.
  @Test(arguments: [(9.0, 30.0), (39.5, 61)])
  func oneSnapshotTellsTheCausesThatTwoTell(old: Double, new: Double) throws {
    let kinds: [ReportKind] = [
      .funnel, .trials, .savings, .cancellations, .revenue, .mrr, .subscriptions, .retention, .value, .refunds,
      .winback,
    ]
    var random = SplitMix64(seed: 8)
    let files = KnownAtTests.files(&random, count: 1, sampleLimit: 200)
    try withTestStore { store in
      try store.ingest(files[0])
      let (one, two) = (try Store.open(readOnly: store.path), try Store.open(readOnly: store.path))
      try one.read { before in
        try two.read { after in
          for kind in kinds {
            var (earlier, later) = (Self.options(kind), Self.options(kind))
            (earlier.asOf, later.asOf) = (at(old), at(new))
            func text(_ before: StoreSnapshot) throws -> String {
              let from = Differences.Side(before, earlier)
              return try render(Report(Differences(kind, from: from, to: .init(after, later))), as: .csv)
            }
            let (told, compared) = (try text(after), try text(before))
            #expect(told == compared, "\(kind.name)")
          }
        }
      }
    }
  }

  /// Neither store has all of the other's events, and some events have different contents in the two.
  @Test func whatCausesBringBetweenTwoStoresAddsUpAndAllOfThemGiveTheLaterStore() throws {
    try withTemporaryDirectory { directory in
      var random = SplitMix64(seed: 11)
      let stores = try (0..<2).map { number in
        let store = try TestStore(in: directory.appendingPathComponent("\(number)"))
        for file in KnownAtTests.files(&random, count: 3, sampleLimit: 100).dropLast() { try store.ingest(file) }
        return try Store.open(readOnly: store.path)
      }
      try stores[0].read { before in
        try stores[1].read { after in
          var rows = 0
          for kind in [ReportKind.funnel, .revenue, .savings, .subscriptions, .ltv, .gates] {
            let options = Self.options(kind)
            rows += try check(kind, Differences.Side(before, options), Differences.Side(after, options), "two stores")
          }
          #expect(rows > 20)
          let asOf = Dictionary(uniqueKeysWithValues: try before.apps().map { ($0.name, $0.newestAsOf ?? .min) })
          let apps = Set(try after.apps().map(\.name)).union(asOf.keys)
          let changes = try StoreChanges(from: before, to: after, asOf: asOf, apps: apps)
          for cause in [ChangeCause.restated, .removed, .lateEvents, .newEvents] {
            #expect(changes.counts[cause] ?? 0 > 0, "\(cause)")
          }
          let last = try changes.store(after: .removed)
          let expected = try KnownAtTests.reports(after, ReportOptions())
          let found = try last.store.read { try KnownAtTests.reports($0, ReportOptions()) }
          for (name, text) in expected { #expect(found[name] == text, "\(name)") }
        }
      }
    }
  }

  /// Derived by hand: a trial that lapses between the instants is maturity, one that was sent late is a late event, and
  /// a refund is a refund.
  @Test func eachCauseIsNamed() throws {
    try withTestStore { store in
      let trial: [String: Any] = ["trial_days": 7, "plan": "monthly", "product_id": "p"]
      let price: [String: Any] = ["product_id": "p", "plan": "monthly", "price": "5", "currency": "EUR"]
      try store.ingest(
        [
          eventLine("trial_start", "1", at(0), user: "a", trial), eventLine("activity", "2", at(8), user: "z"),
          eventLine("conversion", "3", at(1), user: "c", price),
        ],
        [
          eventLine("trial_start", "4", at(0.5), user: "b", trial), eventLine("activity", "5", at(20), user: "z"),
          eventLine("refund", "6", at(9), user: "c"),
        ])
      let full = try Store.open(readOnly: store.path)
      let known = try full.read { try $0.known(at: .file(1)) }
      var options = ReportOptions()
      options.by = []
      let (trials, revenue) = try known.store.read { before in
        try full.read { after in
          (
            try Differences(.trials, from: .init(before, options), to: .init(after, options), columns: ["lapsed"]),
            try Differences(.revenue, from: .init(before, options), to: .init(after, options), columns: ["revenue"])
          )
        }
      }
      // The deadlines of the two trials are day 10 and day 10.5, both before day 20.
      #expect(
        try render(Report(trials), as: .csv) == """
          app,column,before,after,change,maturity,late_events,new_events,refunds
          demo,lapsed,0,2,2,1,1,0,0

          """)
      #expect(
        try render(Report(revenue), as: .csv) == """
          app,currency,column,before,after,change,maturity,late_events,new_events,refunds
          demo,EUR,revenue,5.00,0.00,-5.00,0.00,0.00,0.00,-5.00

          """)
    }
  }

  /// 1.6: before the second file there was no yearly plan: its means and prices are empty, its sums and counts 0; what is
  /// empty on both sides is no row.
  @Test func meansAndPricesOfRowsThatDidNotExistAreEmpty() throws {
    try withTestStore { store in
      func price(_ variant: String) -> [String: Any] {
        ["product_id": "p", "plan": "yearly", "price": "50", "currency": "EUR", "entry_point": "w", "variant": variant]
      }
      try store.ingest(
        [eventLine("conversion", "1", at(1), user: "a", price("x")), eventLine("activity", "2", at(20), user: "z")],
        [eventLine("conversion", "3", at(2), user: "b", price("y")), eventLine("activity", "4", at(21), user: "z")])
      let full = try Store.open(readOnly: store.path)
      let known = try full.read { try $0.known(at: .file(1)) }
      func moved(_ kind: ReportKind) throws -> [String: [String]] {
        var options = ReportOptions()
        options.by = [.variant]
        options.isNative = true
        return try known.store.read { before in
          try full.read { after in
            let differences = try Differences(kind, from: .init(before, options), to: .init(after, options))
            let text = Table(render: try render(Report(differences), as: .csv))
            return Dictionary(
              uniqueKeysWithValues: text.rows.filter { $0[1] == "y" }.map { row in
                let column = differences.keyColumns.count
                return (row[column], Array(row[(column + 1)...(column + 3)]))
              })
          }
        }
      }
      let ltv = try moved(.ltv)
      #expect(ltv["purchases"] == ["0", "1", "1"])
      #expect(ltv.filter { $0.key.hasPrefix("ltv_") }.allSatisfy { $0.value[0].isEmpty && $0.value[2].isEmpty })
      let savings = try moved(.savings)
      #expect(savings["yearly_purchases"] == ["0", "1", "1"] && savings["monthly_value_365d"] == nil)
      #expect(savings["monthly_price"] == nil && savings["realised_saving"] == nil)
      #expect(try moved(.revenue)["revenue"] == ["0.00", "50.00", "50.00"])
    }
  }
}

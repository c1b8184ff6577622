// swift-tools-version: 6.1
import PackageDescription

let swiftSettings: [SwiftSetting] = [
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("ExistentialAny"),
]

/// Brings a module `Metrics` of its own along, which is another than ours.
let hummingbird = Target.Dependency.product(
  name: "Hummingbird", package: "hummingbird", moduleAliases: ["Metrics": "SwiftMetrics"])

/// The files that `tollgate cluster` runs on Spark; `SparkJob` puts them into one folder.
let driverScripts = [
  "build.py", "cluster_driver.py", "copy_text.py", "days.py", "decoding.py", "export.py", "folding.py", "persons.py",
  "refusal.py", "storage.py", "tables.py", "workers.py",
]

let package = Package(
  name: "tollgate",
  products: [
    .executable(name: "tollgate", targets: ["tollgate"])
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-asn1.git", from: "1.7.4"),
    .package(url: "https://github.com/apple/swift-certificates", from: "1.21.1"),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-extras.git", from: "1.35.2"),
    .package(url: "https://github.com/apple/swift-numerics", from: "1.1.1"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
    .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
  ],
  targets: [
    .systemLibrary(name: "CZstd", providers: [.apt(["libzstd-dev"])]),
    .systemLibrary(name: "CMalloc"),
    .systemLibrary(name: "CZlib", providers: [.apt(["zlib1g-dev"])]),

    .target(
      name: "Basics", dependencies: ["CZstd", .product(name: "Yams", package: "Yams")], swiftSettings: swiftSettings),
    .target(name: "EventModel", dependencies: ["Basics"], swiftSettings: swiftSettings),
    .target(
      name: "Parquet", dependencies: ["Basics", "CZlib", "CZstd", "EventModel"], swiftSettings: swiftSettings),
    .target(
      name: "Ingest",
      dependencies: [
        "Basics", "CZlib", "CZstd", "EventModel", "Parquet",
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "SwiftASN1", package: "swift-asn1"),
        .product(name: "X509", package: "swift-certificates"),
      ],
      swiftSettings: swiftSettings),
    .target(name: "Lifecycle", dependencies: ["Basics", "EventModel"], swiftSettings: swiftSettings),
    .target(
      name: "Store",
      dependencies: [
        "Basics", "CMalloc", "EventModel", "Ingest", "Lifecycle",
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "GRDBSQLite", package: "GRDB.swift"),
      ],
      swiftSettings: swiftSettings),
    .target(
      name: "Statistics", dependencies: ["Basics", .product(name: "RealModule", package: "swift-numerics")],
      swiftSettings: swiftSettings),
    .target(
      name: "Calculator", dependencies: ["Basics", "EventModel", "Statistics"], swiftSettings: swiftSettings),
    .target(
      name: "Metrics",
      dependencies: ["Basics", "EventModel", "Lifecycle", "Statistics", "Store"], swiftSettings: swiftSettings),
    .target(
      name: "Reports",
      dependencies: [
        "Basics", "EventModel", "Metrics", "Statistics", .product(name: "Crypto", package: "swift-crypto"),
      ],
      resources: ["tollgate.css", "tollgate.js"].map { .embedInCode("Design/\($0)") }, swiftSettings: swiftSettings),
    .target(
      name: "Serving",
      dependencies: [
        "Basics", hummingbird, .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "HummingbirdCore", package: "hummingbird"), .product(name: "Logging", package: "swift-log"),
        .product(name: "HTTPTypes", package: "swift-http-types"), .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
      ],
      swiftSettings: swiftSettings),
    .target(
      name: "Collector",
      dependencies: [
        "Basics", "CZstd", "EventModel", "Ingest", "Serving", hummingbird,
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: swiftSettings),
    .target(
      name: "Dashboard",
      dependencies: [
        "Basics", "Metrics", "Reports", "Serving", "Store", hummingbird,
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: swiftSettings),
    .target(
      name: "Agents", dependencies: ["Basics", "EventModel", "Metrics", "Reports", "Store"],
      // The pages Definitions and Decisions, for the text of rules.
      resources: ["definitions", "decisions"].map { .embedInCode("Rules/\($0).text") }, swiftSettings: swiftSettings),
    .target(
      name: "Cluster", dependencies: ["Basics", "CZlib", "EventModel", "Ingest", "Lifecycle", "Parquet", "Store"],
      resources: driverScripts.map { .embedInCode("Driver/\($0)") }, swiftSettings: swiftSettings),
    .target(name: "Simulation", dependencies: ["Basics", "EventModel"], swiftSettings: swiftSettings),
    .target(
      name: "Nightly",
      dependencies: [
        "Basics", "EventModel", "Ingest", "Metrics", "Reports", "Statistics", "Store",
        .product(name: "Crypto", package: "swift-crypto"), .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: swiftSettings),
    .executableTarget(
      name: "tollgate",
      dependencies: [
        "Agents", "Basics", "Calculator", "Cluster", "Collector", "Dashboard", "EventModel", "Ingest", "Lifecycle",
        "Metrics", "Nightly", "Parquet", "Reports", "Serving", "Simulation", "Statistics", "Store",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: swiftSettings),

    .testTarget(name: "BasicsTests", dependencies: ["Basics"], swiftSettings: swiftSettings),
    .testTarget(
      name: "CalculatorTests", dependencies: ["Calculator", "FolderSupport", "Statistics"], exclude: ["References"],
      swiftSettings: swiftSettings),
    .executableTarget(
      name: "Calibration", dependencies: ["Basics", "Statistics"], path: "Tests/Calibration",
      exclude: ["RESULTS.md", "backtests.py"], swiftSettings: swiftSettings),
    .testTarget(name: "CalibrationTests", dependencies: ["Calibration"], swiftSettings: swiftSettings),
    .testTarget(
      name: "ClusterTests",
      dependencies: [
        "Basics", "Cluster", "FolderSupport", "Ingest", "Lifecycle", "Metrics", "Parquet", "Reports", "Simulation",
        "Store",
        .product(name: "GRDB", package: "GRDB.swift"),
      ],
      swiftSettings: swiftSettings),
    .testTarget(
      name: "CollectorTests",
      dependencies: [
        "CZstd", "Collector", "EventModel", "FolderSupport", .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: swiftSettings),
    .testTarget(
      name: "DashboardTests", dependencies: ["Basics", "Dashboard", "EventModel", "Metrics"],
      swiftSettings: swiftSettings),
    .target(
      name: "EventSupport", dependencies: ["Basics", "EventModel"], path: "Tests/EventSupport",
      swiftSettings: swiftSettings),
    .target(name: "FolderSupport", path: "Tests/FolderSupport", swiftSettings: swiftSettings),
    .target(
      name: "FuzzChecks", dependencies: ["Basics", "CZlib", "EventModel", "Ingest", "PackingSupport", "Parquet"],
      path: "Tests/Fuzz/Checks",
      swiftSettings: swiftSettings),
    .testTarget(
      name: "EventModelTests", dependencies: ["Basics", "EventModel", "EventSupport"], swiftSettings: swiftSettings),
    .testTarget(
      name: "IngestTests",
      dependencies: [
        "Basics", "CZlib", "EventModel", "EventSupport", "FolderSupport", "FuzzChecks", "Ingest", "PackingSupport",
        "Parquet",
        "SigningSupport",
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "X509", package: "swift-certificates"),
      ],
      swiftSettings: swiftSettings),
    .testTarget(name: "LifecycleTests", dependencies: ["EventModel", "Lifecycle"], swiftSettings: swiftSettings),
    .testTarget(
      name: "MetricsTests",
      dependencies: [
        "Basics", "EventModel", "FolderSupport", "Ingest", "Metrics", "RandomSupport", "Reports", "Simulation",
        "Statistics", "Store", "TruthSupport",
        .product(name: "GRDB", package: "GRDB.swift"),
      ],
      exclude: ["Fixtures"], swiftSettings: swiftSettings),
    .testTarget(
      name: "NightlyTests", dependencies: ["Basics", "EventModel", "FolderSupport", "Metrics", "Nightly"],
      swiftSettings: swiftSettings),
    .executableTarget(
      name: "ParquetLines", dependencies: ["Parquet"], path: "Tests/ParquetLines", swiftSettings: swiftSettings),
    .testTarget(
      name: "ParquetTests", dependencies: ["Basics", "PackingSupport", "Parquet"], swiftSettings: swiftSettings),
    .target(
      name: "PackingSupport", dependencies: ["CZlib", "CZstd"], path: "Tests/PackingSupport",
      swiftSettings: swiftSettings),
    .target(name: "RandomSupport", dependencies: ["Basics"], path: "Tests/RandomSupport", swiftSettings: swiftSettings),
    .testTarget(
      name: "ReportsTests", dependencies: ["Basics", "EventModel", "FolderSupport", "Metrics", "Reports"],
      exclude: ["Golden"],
      swiftSettings: swiftSettings),
    .testTarget(name: "ServingTests", dependencies: ["Serving"], swiftSettings: swiftSettings),
    .target(
      name: "SigningSupport",
      dependencies: [
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "SwiftASN1", package: "swift-asn1"),
        .product(name: "X509", package: "swift-certificates"),
      ],
      path: "Tests/SigningSupport", swiftSettings: swiftSettings),
    .testTarget(
      name: "SimulationTests",
      dependencies: ["Basics", "CZstd", "EventModel", "FolderSupport", "Simulation", "TruthSupport"],
      swiftSettings: swiftSettings),
    .testTarget(name: "StatisticsTests", dependencies: ["Statistics"], swiftSettings: swiftSettings),
    .testTarget(
      name: "StoreTests",
      dependencies: [
        "Basics", "EventModel", "FolderSupport", "Ingest", "Lifecycle", "Metrics", "PackingSupport", "RandomSupport",
        "Reports", "Simulation", "Store",
        .product(name: "GRDB", package: "GRDB.swift"), .product(name: "GRDBSQLite", package: "GRDB.swift"),
      ],
      swiftSettings: swiftSettings),
    .target(
      name: "TruthSupport", dependencies: ["EventModel", "Simulation"], path: "Tests/TruthSupport",
      swiftSettings: swiftSettings),
    .testTarget(
      name: "CommandLineTests",
      dependencies: [
        "Basics", "Dashboard", "FolderSupport", "Metrics", "RandomSupport", "Reports", "SigningSupport",
        .product(name: "GRDBSQLite", package: "GRDB.swift"),
      ],
      swiftSettings: swiftSettings),
  ]
)

// Tests check; only the code that they check needs to be fast, and compiling tests takes less time without optimization.
for target in package.targets where target.type == .test {
  target.swiftSettings = (target.swiftSettings ?? []) + [.unsafeFlags(["-Onone"], .when(configuration: .release))]
}

// For `make test`, whose `-Onone` leaves only these optimized. The others compile file by file on all cores, as in a debug
// build; but without `DEBUG`, with which ArgumentParser checks every option at each start of the program.
if Context.environment["TOLLGATE_TESTED"] != nil {
  let fast: Set = [
    "Basics", "Calibration", "EventModel", "Ingest", "Lifecycle", "Parquet", "Simulation", "Statistics", "Store",
  ]
  for target in package.targets where target.type != .system {
    let flags =
      fast.contains(target.name)
      ? ["-Xfrontend", "-O"] : ["-no-whole-module-optimization", "-enable-batch-mode", "-num-threads", "0"]
    target.swiftSettings = (target.swiftSettings ?? []) + [.unsafeFlags(flags, .when(configuration: .release))]
    if target.name == "FuzzChecks" { target.swiftSettings? += [.define("TOLLGATE_FUZZ")] }
  }
}

// Only for Tests/Fuzz/fuzz.py, which builds them instrumented, and with libFuzzer, in a folder of its own.
if Context.environment["TOLLGATE_FUZZ"] != nil {
  package.targets += [
    .systemLibrary(name: "CFuzzer", path: "Tests/Fuzz/CFuzzer"),
    .target(name: "FuzzRun", dependencies: ["CFuzzer"], path: "Tests/Fuzz/Run"),
    .executableTarget(name: "FuzzDecoders", dependencies: ["FuzzChecks", "FuzzRun"], path: "Tests/Fuzz/Decoders"),
    .executableTarget(name: "FuzzPlans", dependencies: ["FuzzRun", "Metrics"], path: "Tests/Fuzz/Plans"),
  ]
}

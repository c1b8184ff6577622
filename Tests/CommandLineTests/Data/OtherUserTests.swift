import Foundation
import Testing

#if canImport(Glibc)
  import Glibc
#endif

/// Errors of users who may not use a store or its folder. Only an administrator can become that user.
@Suite(.enabled(if: geteuid() == 0 && access("/usr/bin/setpriv", X_OK) == 0))
struct OtherUserTests {
  /// Passes a folder of root, which others may open, to `body`, with a function that runs the program as nobody in it.
  private static func asNobody(
    _ body: (Folder, _ run: ([String]) throws -> (status: Int32, errors: String, output: String)) throws -> Void
  ) throws {
    try Folder.with { folder in
      chmod(folder.url.path, 0o755)
      // The build's folder may be closed to others.
      try FileManager.default.copyItem(at: Program.url, to: folder.url.appendingPathComponent("program"))
      chmod(folder.path("program"), 0o755)
      try body(folder) { arguments in
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/setpriv")
        process.arguments = ["--reuid=65534", "--regid=65534", "--clear-groups", folder.path("program")] + arguments
        process.currentDirectoryURL = folder.url
        process.environment = ["PATH": "/usr/bin:/bin", "HOME": "/"]
        let (output, errors) = (Pipe(), Pipe())
        (process.standardOutput, process.standardError) = (output, errors)
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let printed = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        let logged = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus, logged, printed)
      }
    }
  }

  private static let writing = [
    ["ingest", "events.jsonl"], ["rates", "import", "rates.csv"], ["forget", "--user", "a"], ["vacuum"],
  ]

  @Test(arguments: writing)
  func aStoreOfAnotherUserNamesItsOwner(arguments: [String]) throws {
    try Self.asNobody { folder, run in
      try folder.makeStore()
      try folder.write("date,currency,usd_per_unit\n2026-01-07,EUR,1.1\n", to: "rates.csv")
      for name in ["events.jsonl", "rates.csv"] { chmod(folder.path(name), 0o644) }
      let store = folder.path("tollgate.db")
      let owned = "which belongs to root; run the command as root, or let nobody"
      let unread = try run(arguments)
      #expect(
        unread.status == 1
          && unread.errors.contains("cannot be opened: user nobody may not read \(store), \(owned) read it"),
        "\(unread)")
      chmod(store, 0o644)
      let unwritten = try run(arguments)
      #expect(
        unwritten.status == 1
          && unwritten.errors.contains("cannot be opened: user nobody may not write to \(store), \(owned) write to it"),
        "\(unwritten)")
      chmod(store, 0o666)
      let closed = try run(arguments)
      #expect(
        closed.status == 1 && closed.errors.contains("user nobody may not write to \(folder.url.path), \(owned)"),
        "\(closed)")
    }
  }

  @Test func aFileOfAnotherUserNamesItsOwner() throws {
    try Self.asNobody { folder, run in
      chmod(folder.url.path, 0o777)
      try folder.write(Folder.events, to: "events.jsonl")
      chmod(folder.path("events.jsonl"), 0o600)
      let result = try run(["ingest", "events.jsonl"])
      #expect(
        result.status == 3
          && result.errors.contains(
            "nothing ingested: cannot be opened: user nobody may not read \(folder.path("events.jsonl")), which"),
        "\(result)")
    }
  }

  /// The rest of a folder is loaded, and the status says that something is missing.
  @Test(arguments: [mode_t(0), 0o744])
  func aFolderThatCannotBeListedIsNamed(mode: mode_t) throws {
    try Self.asNobody { folder, run in
      chmod(folder.url.path, 0o777)
      for name in ["ev", "ev/a", "ev/b"] {
        try FileManager.default.createDirectory(atPath: folder.path(name), withIntermediateDirectories: false)
        chmod(folder.path(name), 0o755)
      }
      try folder.write(Folder.events, to: "ev/b/events.jsonl")
      try folder.write(NightlyCommandTests.events(1), to: "ev/a/events.jsonl")
      for name in ["ev/a/events.jsonl", "ev/b/events.jsonl"] { chmod(folder.path(name), 0o644) }
      chmod(folder.path("ev/a"), mode)
      try folder.write("sources: [{files: ev/}]\nstore: night.db\n", to: "night.yaml")
      chmod(folder.path("night.yaml"), 0o644)
      let refused = "ev/a: nothing ingested: cannot be listed: user nobody may not open "
      let ingest = try run(["ingest", "ev"])
      #expect(ingest.status == 3 && ingest.errors.contains(refused), "\(ingest)")
      #expect(ingest.output.hasPrefix("1 file (0 skipped, 1 failed), 5 events"), "\(ingest)")
      let night = try run(["nightly", "--config", "night.yaml", "--night", "2026-03-02"])
      #expect(night.status == 3 && night.output.contains("new      failed: \(refused)"), "\(night)")
      #expect(night.output.hasPrefix("2026-03-02: 1 new file, 5 events"), "\(night)")
      let next = try run(["nightly", "--config", "night.yaml", "--night", "2026-03-03"])
      #expect(next.status == 0 && next.output.contains("standing failed: \(refused)"), "\(next)")
    }
  }
}

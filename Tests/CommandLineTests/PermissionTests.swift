import Foundation
import Testing

#if canImport(Glibc)
  import Glibc
#endif

/// Files with user or revenue data are readable by their owner only, whatever the umask; permissions that the owner has
/// set on a file stay.
@Suite struct PermissionTests {
  private static let umasks = ["000", "022", "777"]

  private static func mode(_ path: String) -> String {
    var status = stat()
    return lstat(path, &status) == 0 ? String(status.st_mode & 0o7777, radix: 8) : "none"
  }

  /// Runs the program under a umask.
  private static func run(_ umask: String, _ arguments: [String], in folder: Folder) throws -> Int32 {
    let process = try started(umask, arguments, in: folder, input: FileHandle.nullDevice)
    process.waitUntilExit()
    return process.terminationStatus
  }

  private static func started(
    _ umask: String, _ arguments: [String], in folder: Folder, input: Any
  ) throws -> Process {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", "umask \(umask); exec \"$@\"", "sh", Program.url.path] + arguments
    process.currentDirectoryURL = folder.url
    process.environment = ["PATH": "/usr/bin:/bin", "HOME": folder.url.path]
    process.standardInput = input
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    return process
  }

  /// A new store is a part, and an old one has a journal and its index, while the ingest waits for the rest of its standard
  /// input.
  @Test(arguments: umasks)
  func theStoreAndWhatLiesBesideIt(umask: String) throws {
    try Folder.with { folder in
      for names in [[".tollgate.db.part-0"], ["tollgate.db", "tollgate.db-wal", "tollgate.db-shm"]] {
        let input = Pipe()
        let process = try Self.started(umask, ["ingest", "-"], in: folder, input: input)
        defer { if process.isRunning { process.terminate() } }
        let files = names.map(folder.path)
        for _ in 0..<600 where !files.allSatisfy(FileManager.default.fileExists) && process.isRunning {
          Thread.sleep(forTimeInterval: 0.05)
        }
        #expect(files.map(Self.mode) == files.map { _ in "600" })
        try input.fileHandleForWriting.write(contentsOf: Data(Folder.events.utf8))
        try input.fileHandleForWriting.close()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        #expect(Self.mode(folder.path("tollgate.db")) == "600")
      }
      let others = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        .filter { !$0.hasPrefix("tollgate.db") }
      #expect(others == [])
    }
  }

  @Test(arguments: umasks)
  func reportsInFiles(umask: String) throws {
    try Folder.with { folder in
      try folder.makeStore()
      #expect(try Self.run(umask, ["funnel", "--format", "csv", "--output", "funnel.csv"], in: folder) == 0)
      #expect(Self.mode(folder.path("funnel.csv")) == "600")
      try FileManager.default.createDirectory(atPath: folder.path("page"), withIntermediateDirectories: true)
      // The umask would remove write permission from the user's own folder.
      #expect(try Self.run(umask == "777" ? "077" : umask, ["report", "--output", "page"], in: folder) == 0)
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.path("page"))
      #expect(names.count > 5)
      for name in names {
        #expect(Self.mode(folder.path("page/\(name)")) == (name == "tables" ? "700" : "600"), "\(name)")
      }
      #expect(Self.mode(folder.path("page/tables/funnel.csv")) == "600")
      #expect(try folder.run("report", "--output", "page", "--public").status == 0)
      for name in names {
        #expect(Self.mode(folder.path("page/\(name)")) == (name == "tables" ? "755" : "644"), "\(name)")
      }
    }
  }

  /// An administrator opens a report to a web server once, and not every night.
  @Test func rightsThatWereGivenStay() throws {
    try Folder.with { folder in
      try folder.makeStore()
      for _ in 0..<2 {
        #expect(try folder.run("funnel", "--output", "funnel.txt").status == 0)
        #expect(try folder.run("report", "--output", "page").status == 0)
        for path in ["funnel.txt", "page/index.html"] { chmod(folder.path(path), 0o640) }
      }
      #expect(try folder.run("funnel", "--output", "funnel.txt").status == 0)
      #expect(try folder.run("report", "--output", "page").status == 0)
      #expect(Self.mode(folder.path("funnel.txt")) == "640")
      #expect(
        Self.mode(folder.path("page/index.html")) == "640" && Self.mode(folder.path("page/tables/funnel.csv")) == "600")
    }
  }

  @Test func anOutputFollowsALinkAndWritesToAPipe() throws {
    try Folder.with { folder in
      try folder.makeStore()
      try folder.write("before", to: "real.csv")
      try FileManager.default.createSymbolicLink(atPath: folder.path("link.csv"), withDestinationPath: "real.csv")
      #expect(try folder.run("funnel", "--format", "csv", "--output", "link.csv").status == 0)
      let printed = try folder.run("funnel", "--format", "csv").output
      #expect(try folder.text(of: "real.csv") == printed)
      #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder.path("link.csv")) == "real.csv")
      #expect(try folder.run("funnel", "--format", "csv", "--output", "/dev/stdout").output == printed)
    }
  }

  @Test func anOutputThatCannotBeWrittenSaysWhy() throws {
    try Folder.with { folder in
      try folder.makeStore()
      let missing = try folder.run("funnel", "--output", "nowhere/report.csv")
      #expect(missing.status == 2)
      #expect(missing.errors == "tollgate: --output nowhere/report.csv: cannot be written: No such file or directory\n")
      let isFolder = try folder.run("funnel", "--output", ".")
      #expect(isFolder.status == 2 && isFolder.errors == "tollgate: --output .: cannot be written: Is a directory\n")
      #expect(try folder.run("funnel", "--output", "/dev/full").errors.contains("No space left on device"))
    }
  }

  @Test func receivedPayloadsAreForTheirOwnerOnly() async throws {
    let folder = try Folder()
    defer { folder.remove() }
    let receiver = try RunningProgram(
      ["receive", "--output", "inbox"], environment: ["TOLLGATE_REVENUECAT_TOKEN": "secret"], in: folder)
    let answer = try await receiver.post("/revenuecat", #"{"event":{}}"#, headers: ["Authorization": "secret"])
    #expect(answer.status == 200)
    #expect(Self.mode(folder.path("inbox")) == "700")
    _ = try receiver.terminate()
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path("inbox"))
    #expect(names.count == 1 && names.allSatisfy { Self.mode(folder.path("inbox/\($0)")) == "600" })
  }

  /// Another user may read the store, but write to neither it nor its folder.
  @Test(.enabled(if: geteuid() == 0 && FileManager.default.isExecutableFile(atPath: "/usr/bin/setpriv")))
  func aStoreInAClosedFolderIsRead() throws {
    try Folder.with { folder in
      try folder.write(Folder.events, to: "events.jsonl")
      #expect(try folder.run("ingest", "events.jsonl").status == 0)
      // The program may lie in a folder that is closed to others.
      try FileManager.default.copyItem(atPath: Program.url.path, toPath: folder.path("program"))
      for path in [folder.url.path, folder.path("program")] { chmod(path, 0o755) }
      chmod(folder.path("tollgate.db"), 0o644)
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/usr/bin/setpriv")
      process.arguments =
        ["--reuid=65534", "--regid=65534", "--clear-groups", folder.path("program")]
        + ["trials", "--by", "none", "--format", "csv"]
      process.currentDirectoryURL = folder.url
      let output = Pipe()
      process.standardOutput = output
      try process.run()
      let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      process.waitUntilExit()
      let owners = try folder.run("trials", "--by", "none", "--format", "csv").output
      #expect(process.terminationStatus == 0 && text == owners)
    }
  }
}

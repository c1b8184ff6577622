import Foundation
import Testing

#if canImport(Glibc)
  import Glibc
#endif

/// Output and its destinations.
@Suite struct OutputTests {
  private static let reports = ["funnel", "trials", "savings", "cancellations"]

  /// "With `--format csv` the output is the same bytes for the same store content and arguments, on every run".
  @Test func csvIsTheSameBytesOnEveryRunAndForEveryOrderOfTheFiles() throws {
    try Folder.with { folder in
      let sample = ["sample", "--persons", "200", "--days", "40", "--compression", "none", "--output", "events"]
      _ = try Program.run(sample, in: folder.url)
      #expect(try folder.run("ingest", "--store", "1.db", "events").status == 0)
      let files = try FileManager.default.contentsOfDirectory(atPath: folder.path("events")).map { "events/" + $0 }
      for part in [files.filter { $0.contains("churn") }, files.filter { !$0.contains("churn") }.sorted(by: >)] {
        #expect(
          try Program.run(["ingest", "--store", "2.db", "--commit-every", "50"] + part, in: folder.url).status == 0)
      }
      for report in Self.reports {
        let first = try folder.run(report, "--format", "csv", "--store", "1.db").output
        #expect(first.split(separator: "\n").count > 4)
        #expect(try folder.run(report, "--format", "csv", "--store", "1.db").output == first)
        #expect(try folder.run(report, "--format", "csv", "--store", "2.db").output == first)
      }
    }
  }

  @Test func anOutputFileHasWhatStandardOutputWouldHave() throws {
    try Folder.with { folder in
      try folder.makeStore()
      for format in ["table", "csv", "json", "markdown"] {
        let printed = try folder.run("funnel", "--format", format)
        let written = try folder.run("funnel", "--format", format, "--output", "report")
        #expect(written.status == 0 && written.output == "" && written.errors == "")
        #expect(try folder.text(of: "report") == printed.output)
      }
      // Replaces an older report and leaves nothing else behind.
      #expect(try folder.names == ["events.jsonl", "report", "tollgate.db"])
    }
  }

  @Test func anOutputFileIsWrittenWholeOrNotAtAll() throws {
    try Folder.with { folder in
      try folder.makeStore()
      try folder.write("yesterday's", to: "report")
      for arguments in [["--sort", "colour"], ["--by", "colour"], ["--app", "unknown"], ["--store", "nowhere.db"]] {
        let result = try Program.run(["funnel", "--output", "report"] + arguments, in: folder.url)
        #expect(result.status == 2)
        #expect(try folder.text(of: "report") == "yesterday's")
      }
      #expect(try folder.names == ["events.jsonl", "report", "tollgate.db"])
    }
  }

  @Test func sortAndLimitChooseRows() throws {
    try Folder.with { folder in
      try folder.makeStore()
      func keys(_ arguments: String...) throws -> [String] {
        try Program.run(["funnel", "--format", "csv"] + arguments, in: folder.url).output.split(separator: "\n")
          .dropFirst().map { $0.split(separator: ",")[1].description }
      }
      #expect(try keys() == ["x", "y"])
      #expect(try keys("--sort", "trial_users") == ["y", "x"])
      #expect(try keys("--sort", "trial_users:desc") == ["x", "y"])
      #expect(try keys("--sort", "variant:desc", "--limit", "1") == ["y"])
      #expect(try keys("--limit", "0") == [])
      #expect(try keys("--where", "entry_point=widgets,other") == ["y"])
    }
  }

  @Test func noEscapeCodesGoToFilesAndPipes() throws {
    try Folder.with { folder in
      try folder.makeStore()
      for arguments in [
        ["funnel", "--plot"], ["health"], ["ingest", "events.jsonl"], ["--help"], ["funnel", "--bad"],
      ] {
        for environment in [[:], ["NO_COLOR": "1"], ["TERM": "xterm-256color"]] {
          let result = try Program.run(arguments, environment: environment, in: folder.url)
          #expect(!(result.output + result.errors).contains("\u{1B}"), "\(arguments)")
        }
      }
      let shell = Process()
      shell.executableURL = URL(fileURLWithPath: "/bin/sh")
      shell.arguments = ["-c", "\"$1\" funnel --by entry_point --plot 2>&1 | cat > piped", "sh", Program.url.path]
      shell.currentDirectoryURL = folder.url
      shell.environment = ["PATH": "/usr/bin:/bin", "TERM": "xterm-256color"]
      try shell.run()
      shell.waitUntilExit()
      let piped = try folder.text(of: "piped")
      #expect(piped.contains("settings") && !piped.contains("\u{1B}"))
    }
  }

  #if os(Linux)
    @Test func aTerminalHasColourUnlessNoColorIsSet() throws {
      try Folder.with { folder in
        try folder.makeStore()
        let coloured = try terminalText(["funnel", "--by", "entry_point"], ["TERM": "xterm"], in: folder)
        #expect(coloured.contains("\u{1B}[") && coloured.contains("settings"))
        let plain = try terminalText(
          ["funnel", "--by", "entry_point"], ["TERM": "xterm", "NO_COLOR": "1"], in: folder)
        #expect(!plain.contains("\u{1B}") && plain.contains("settings"))
      }
    }

    /// Runs the program with a pseudo-terminal as its standard output, and returns what it writes there.
    private func terminalText(_ arguments: [String], _ environment: [String: String], in folder: Folder) throws
      -> String
    {
      // Does the work of posix_openpt, unlockpt and ptsname, which Swift's Glibc lacks. Numbers of
      // asm-generic/ioctls.h.
      let (setLock, getNumber): (UInt, UInt) = (0x4004_5431, 0x8004_5430)
      let primary = open("/dev/ptmx", O_RDWR | O_NOCTTY)
      defer { close(primary) }
      var lock: CInt = 0
      var number: CUnsignedInt = 0
      try #require(primary >= 0)
      try #require(ioctl(primary, setLock, &lock) == 0)
      try #require(ioctl(primary, getNumber, &number) == 0)
      let secondary = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY)
      try #require(secondary >= 0)
      let process = Process()
      process.executableURL = Program.url
      process.arguments = arguments
      process.currentDirectoryURL = folder.url
      process.environment = environment
      process.standardInput = FileHandle.nullDevice
      process.standardOutput = FileHandle(fileDescriptor: secondary, closeOnDealloc: false)
      process.standardError = FileHandle.nullDevice
      try process.run()
      // The report is shorter than the terminal's buffer of 4 KiB, so it can be read afterwards.
      process.waitUntilExit()
      var bytes = [UInt8](repeating: 0, count: 1 << 16)
      let count = read(primary, &bytes, bytes.count)
      close(secondary)
      return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }
  #endif

  /// "`--store PATH` (default: `TOLLGATE_STORE`, else `tollgate.db` in the current folder)".
  @Test func theStoreIsThatOfTheOptionElseOfTheEnvironmentElseHere() throws {
    try Folder.with { folder in
      try folder.write(Folder.events, to: "events.jsonl")
      let environment = ["TOLLGATE_STORE": folder.path("named.db")]
      #expect(try folder.run("ingest", "events.jsonl", environment: environment).status == 0)
      #expect(try folder.names == ["events.jsonl", "named.db"])
      #expect(try folder.run("funnel").status == 2)
      #expect(try folder.run("funnel", environment: environment).status == 0)
      #expect(try folder.run("ingest", "--store", "option.db", "events.jsonl", environment: environment).status == 0)
      #expect(try folder.names == ["events.jsonl", "named.db", "option.db"])
      // An empty value counts as unset.
      #expect(try folder.run("ingest", "events.jsonl", environment: ["TOLLGATE_STORE": ""]).status == 0)
      #expect(try folder.names == ["events.jsonl", "named.db", "option.db", "tollgate.db"])
    }
  }

  @Test func quietPrintsResultsAndErrorsOnly() throws {
    try Folder.with { folder in
      try folder.makeStore()
      let ingest = try folder.run("ingest", "--quiet", "events.jsonl")
      #expect(ingest.status == 0 && ingest.output == "" && ingest.errors == "")
      #expect(try folder.run("funnel", "--quiet").output == folder.run("funnel").output)
      #expect(try folder.run("funnel", "--quiet", "--by", "colour").errors.contains("colour"))
    }
  }
}

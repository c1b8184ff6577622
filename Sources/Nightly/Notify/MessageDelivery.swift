internal import Basics
internal import Foundation
internal import Reports

/// Writes the file of a message and hands it to a recipient's command (definitions 16).
struct MessageDelivery {
  /// A command that could not be run, or did not succeed.
  struct Failure: Error {
    var program: String
    var reason: String
  }

  /// Seconds until a command is stopped.
  private static let patience = 30.0

  let recipient: NotifyConfig.Recipient

  func write(_ text: String) throws {
    try WholeFile.write(Data(text.utf8), to: recipient.file, ofOption: "")
  }

  /// Checks that there is a program to run, as `env` looks for it.
  ///
  /// - Throws: ``Failure``.
  func requireProgram() throws {
    // Words such as NAME=VALUE before it set its environment.
    guard let program = recipient.command.first(where: { !$0.contains("=") }) else { return }
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":")
    let paths = program.contains("/") ? [program] : folders.map { "\($0)/\(program)" }
    if paths.contains(where: FileManager.default.isExecutableFile(atPath:)) { return }
    throw Failure(
      program: program,
      reason: program.contains("/")
        ? "there is no such program, or it may not be run; paths are relative to the folder of the configuration"
        : "there is no such program in PATH; write its path, such as ./\(program)")
  }

  /// Runs the recipient's command without a shell, the file as its standard input.
  func send() throws {
    guard let program = recipient.command.first else { return }
    try requireProgram()
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["--", program] + recipient.command.dropFirst()
    guard let input = FileHandle(forReadingAtPath: recipient.file) else {
      throw UsageError("\(recipient.file): cannot be read")
    }
    process.standardInput = input
    process.standardOutput = FileHandle.nullDevice
    let ended = DispatchSemaphore(value: 0)
    process.terminationHandler = { _ in ended.signal() }
    do {
      try process.run()
    } catch {
      throw Failure(program: program, reason: "cannot be run: \(error.localizedDescription)")
    }
    if ended.wait(timeout: .now() + Self.patience) == .timedOut {
      process.terminate()
      throw Failure(program: program, reason: "did not end within \(Int(Self.patience)) s and was stopped")
    }
    if process.terminationStatus != 0 {
      throw Failure(program: program, reason: "ended with status \(process.terminationStatus)")
    }
  }
}

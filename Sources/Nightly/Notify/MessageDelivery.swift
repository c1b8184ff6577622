internal import Basics
internal import Foundation
internal import Reports

/// Writes the files of a message and hands them to commands (definitions 16).
struct MessageDelivery {
  /// Seconds until a command is stopped.
  private static let patience = 30.0

  let message: Message

  func write(_ recipient: NotifyConfig.Recipient) throws {
    do {
      try WholeFile.write(Data(message.text(as: recipient.format).utf8), to: recipient.file)
    } catch {
      throw UsageError("\(recipient.file): \(error)")
    }
  }

  /// Runs a recipient's command without a shell, the file as its standard input.
  func send(_ recipient: NotifyConfig.Recipient) throws {
    guard let program = recipient.command.first else { return }
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
      throw UsageError("\(program): cannot be run: \(error.localizedDescription)")
    }
    if ended.wait(timeout: .now() + Self.patience) == .timedOut {
      process.terminate()
      throw UsageError("\(program): did not end within \(Int(Self.patience)) s and was stopped")
    }
    if process.terminationStatus != 0 {
      throw UsageError("\(program): ended with status \(process.terminationStatus)")
    }
  }
}

public import Basics
internal import Crypto
internal import Foundation

/// The tokens that a request may carry.
///
/// Stores digests only and compares them in constant time, so that response times reveal nothing about a guess.
public struct AccessTokens: Sendable {
  /// An error for a file of tokens that cannot be used.
  public struct FileError: ReadableError {
    public var description: String
  }

  private let digests: [SHA256Digest]

  /// - Parameter tokens: At least one; none empty.
  public init(_ tokens: [String]) {
    precondition(!tokens.isEmpty && tokens.allSatisfy { !$0.isEmpty })
    digests = tokens.map { Self.digest($0) }
  }

  /// Reads one token per line; with several, an old token stays valid until all senders have the new one.
  public init(file path: String) throws(FileError) {
    var status = stat()
    if stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_mode & 0o077 != 0 {
      throw FileError(
        description: "\(path): other users can read it or write to it; run `chmod go= \(path)`, or make a new token")
    }
    // A pipe works too, so that a secret need not be on the disk.
    guard let handle = FileHandle(forReadingAtPath: path), let data = try? handle.readToEnd() ?? Data(),
      let text = String(data: data, encoding: .utf8)
    else { throw FileError(description: "\(path): cannot be read as text: no such file, or no permission") }
    let tokens = text.split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }
      .filter { !$0.isEmpty }
    if tokens.isEmpty { throw FileError(description: "\(path): has no token; write one token per line") }
    self.init(tokens)
  }

  /// Reads the tokens of a file, or else takes that of an environment variable; `nil` if neither is given.
  public init?(file: String?, variable: String) throws(FileError) {
    if let file {
      try self.init(file: file)
      return
    }
    guard let token = ProcessInfo.processInfo.environment[variable], !token.isEmpty else { return nil }
    self.init([token])
  }

  /// Returns whether the value of an `Authorization` header is a token, alone or after `Bearer`.
  public func allow(authorization: String?) -> Bool {
    guard let authorization else { return false }
    if allow(authorization) { return true }
    let scheme = "bearer "
    guard authorization.lowercased().hasPrefix(scheme) else { return false }
    return allow(String(authorization.dropFirst(scheme.count)))
  }

  public func allow(_ token: String) -> Bool {
    let digest = Self.digest(token)
    return digests.reduce(false) { $1 == digest || $0 }
  }

  private static func digest(_ text: String) -> SHA256Digest { SHA256.hash(data: Data(text.utf8)) }
}

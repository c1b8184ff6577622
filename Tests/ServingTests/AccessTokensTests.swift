import Foundation
import Serving
import Testing

@Suite struct AccessTokensTests {
  @Test func aTokenCountsAloneAndAsBearer() {
    let tokens = AccessTokens(["old", "new one"])
    for header in ["old", "Bearer old", "bearer old", "BEARER new one", "new one"] {
      #expect(tokens.allow(authorization: header), "\(header)")
    }
    for header in [nil, "", "Bearer", "Bearer ", "ol", "oldd", "Old", "Basic old", "Bearer  old", "Bearer bearer old"] {
      #expect(!tokens.allow(authorization: header), "\(header ?? "none")")
    }
  }

  @Test func aFileHasATokenALine() throws {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("tokens-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: url) }
    try Data(" first \r\n\nsecond".utf8).write(to: url)
    // Whoever else can read a token has it.
    for mode in [0o644, 0o640, 0o620, 0o604, 0o602, 0o666] {
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: url.path)
      #expect(throws: AccessTokens.FileError.self) { try AccessTokens(file: url.path) }
    }
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: url.path)
    let tokens = try AccessTokens(file: url.path)
    #expect(tokens.allow("first") && tokens.allow("second") && !tokens.allow(""))
    try Data("\n \n".utf8).write(to: url)
    #expect(throws: AccessTokens.FileError.self) { try AccessTokens(file: url.path) }
    #expect(throws: AccessTokens.FileError.self) { try AccessTokens(file: url.path + ".none") }
  }
}

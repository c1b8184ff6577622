import Foundation
import Testing

/// Compares a whole output with `Golden/NAME`; in a page, the stylesheet and its digest stand as `…`, so that a colour that
/// changes does not change every page.
///
/// `RECORD_GOLDEN=1` writes the file instead and fails, so that a recording run never passes for a checking one.
func expectGolden(_ text: String, _ name: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
  let text = name.hasSuffix(".html") ? withoutStylesheet(text) : text
  let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Golden/\(name)")
  if ProcessInfo.processInfo.environment["RECORD_GOLDEN"] == "1" {
    try Data(text.utf8).write(to: file)
    Issue.record("recorded \(name); run again without RECORD_GOLDEN", sourceLocation: sourceLocation)
    return
  }
  let golden = try String(decoding: Data(contentsOf: file), as: UTF8.self)
  #expect(text == golden, "\(name) differs; RECORD_GOLDEN=1 rewrites it", sourceLocation: sourceLocation)
  // `==` of strings treats é and e + U+0301 as equal.
  #expect(Array(text.utf8) == Array(golden.utf8), sourceLocation: sourceLocation)
}

private func withoutStylesheet(_ page: String) -> String {
  page.replacing(/(?s)<style>.*?<\/style>/, with: "<style>…</style>").replacing(/'sha256-[^']*'/, with: "'sha256-…'")
}

import Mustache
import Testing

@testable import Dashboard

@Suite struct ScalarEscapingTests {
  /// Browsers parse scalars: a combining mark after a quote or a bracket does not change its meaning.
  @Test(arguments: ["\"", "<", ">", "&", "'"])
  func aCombiningMarkHidesNothing(mark: String) throws {
    ScalarEscaping.register()
    let template = try MustacheTemplate(
      string: "{{% CONTENT_TYPE: \(ScalarEscaping.name)}}<p title=\"{{x}}\">{{x}}</p>")
    for tail in ["", "\u{301}", "\u{338}", "\u{200D}", "\u{FE0F}", "\u{1F3FB}"] {
      let text = template.render(["x": "a\(mark)\(tail) onclick=b"])
      let inside = text.unicodeScalars.dropFirst(10).prefix { $0 != "\"" }
      #expect(!inside.contains(try #require(mark.unicodeScalars.first)) || mark == "&", "\(text)")
      #expect(
        text.unicodeScalars.filter { $0 == "\"" }.count == 2 && text.unicodeScalars.filter { $0 == "<" }.count == 2)
      #expect(text.utf8.count > 30)
    }
  }

  /// Every template uses it, so that none escapes by characters.
  @Test func everyTemplateUsesIt() throws {
    for template in [Templates.layout, Templates.report, Templates.overview, Templates.fault] {
      #expect(template.hasPrefix("{{% CONTENT_TYPE: \(ScalarEscaping.name)}}"))
    }
  }
}

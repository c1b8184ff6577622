import Mustache
import Testing

@testable import Dashboard

@Suite struct ScalarEscapingTests {
  /// A browser reads scalars: a combining mark behind a quote or a bracket leaves it what it is.
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

  /// The templates ask for it: nothing of theirs is escaped by characters.
  @Test func everyTemplateUsesIt() throws {
    for template in [Templates.layout, Templates.report, Templates.overview, Templates.fault] {
      #expect(template.hasPrefix("{{% CONTENT_TYPE: \(ScalarEscaping.name)}}"))
    }
  }
}

import Foundation
import Reports
import Testing

struct MessageTests {
  private static let message = Message(
    subject: "2026-03-16: 1 alarm, 1 number",
    sections: [
      Message.Section(
        "Alarms",
        [
          Message.Line(
            "Paid, <b>evil</b> & @channel *bold* [x](https://evil.example) | =1+1\n- forged: 12.0%, expected 20.0%",
            address: "https://numbers.example.com/reports/funnel?app=a%26b&from=2026-03-01")
        ]),
      Message.Section("Empty", []), Message.Section("Numbers of the week", [Message.Line("Paid, steps: 22.0%")]),
    ])

  /// A name makes no link, mention, cell or line in any format.
  @Test(arguments: Message.Format.allCases) func namesAreText(format: Message.Format) throws {
    let text = Self.message.text(as: format)
    #expect(!text.contains("Empty") && !text.contains("\n- forged"))
    switch format {
    case .text:
      #expect(text.split(separator: "\n").allSatisfy { $0.count <= 78 || $0.contains("https://numbers") })
    case .markdown: #expect(!text.contains("[x](https://evil") && text.contains("[open](<https://numbers"))
    case .html:
      #expect(text.contains("&lt;b&gt;evil&lt;/b&gt; &amp; @channel") && !text.contains("<script"))
      #expect(text.contains("href=\"https://numbers.example.com/reports/funnel?app=a%26b&amp;from=2026-03-01\""))
    case .slack:
      let object = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
      let blocks = try #require(object["blocks"] as? [[String: Any]])
      let own = try #require(blocks[1]["text"] as? [String: Any])
      #expect(blocks.count == 3 && own["verbatim"] as? Bool == true)
      #expect((own["text"] as? String)?.contains("&lt;b&gt;evil&lt;/b&gt; &amp; @channel") == true)
    case .json: #expect(try JSONSerialization.jsonObject(with: Data(text.utf8)) is [String: Any])
    }
  }

  /// Slack takes 50 blocks of 3,000 characters; the subject has 80.
  @Test func longMessagesAreCut() throws {
    let lines = (0..<3_000).map { Message.Line("number \($0) " + String(repeating: "é", count: 90)) }
    let message = Message(subject: String(repeating: "x", count: 200), sections: [Message.Section("Data", lines)])
    #expect(message.subject.count == 80)
    let object = try JSONSerialization.jsonObject(with: Data(message.text(as: .slack).utf8)) as? [String: Any]
    let blocks = try #require(object?["blocks"] as? [[String: Any]])
    #expect(blocks.count == 50)
    for block in blocks {
      let text = try #require((block["text"] as? [String: Any])?["text"] as? String)
      #expect(text.count <= 3_000)
    }
  }
}

/// A message to people, in the format of each channel (definitions 16).
public struct Message: Sendable, Equatable {
  public struct Line: Sendable, Equatable {
    public var text: String
    /// Where to read on; `nil` without a dashboard's address.
    public var address: String?

    public init(_ text: String, address: String? = nil) { (self.text, self.address) = (text, address) }
  }

  public struct Section: Sendable, Equatable {
    public var title: String
    public var lines: [Line]

    public init(_ title: String, _ lines: [Line]) { (self.title, self.lines) = (title, lines) }
  }

  public enum Format: String, CaseIterable, Sendable {
    case text
    case markdown
    case html
    case slack
    case json
  }

  /// At most 80 characters.
  public var subject: String
  public var sections: [Section]

  /// - Parameter subject: Cut to 80 characters.
  public init(subject: String, sections: [Section]) {
    self.subject = Self.cut(subject, to: 80)
    self.sections = sections.filter { !$0.lines.isEmpty }
  }

  public func text(as format: Format) -> String {
    switch format {
    case .text: plain
    case .markdown: markdown
    case .html: html
    case .slack: slack
    case .json: json
    }
  }

  private static func cut(_ text: String, to length: Int) -> String {
    text.count <= length ? text : text.prefix(length - 1) + "…"
  }

  // MARK: - Formats

  /// Lines of at most 78 columns, for mail.
  private var plain: String {
    var lines = [visible(subject)]
    for section in sections {
      lines += ["", section.title]
      for line in section.lines {
        lines += wrapped(visible(line.text), to: 76, behind: "- ")
        if let address = line.address { lines.append("  \(address)") }
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private var markdown: String {
    var lines = ["# \(markdownEscaped(subject))"]
    for section in sections {
      lines += ["", "## \(markdownEscaped(section.title))", ""]
      for line in section.lines {
        lines.append("- \(markdownEscaped(line.text))" + (line.address.map { " [open](<\($0)>)" } ?? ""))
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// A page without script and without files of its own.
  private var html: String {
    var body = "<h1 style=\"font-size:18px\">\(htmlEscaped(subject))</h1>\n"
    for section in sections {
      body += "<h2 style=\"font-size:15px\">\(htmlEscaped(section.title))</h2>\n<ul>\n"
      for line in section.lines {
        let link = line.address.map { " <a href=\"\(htmlEscaped($0))\">open</a>" } ?? ""
        body += "<li>\(htmlEscaped(line.text))\(link)</li>\n"
      }
      body += "</ul>\n"
    }
    return """
      <!doctype html>
      <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
      <title>\(htmlEscaped(subject))</title></head>
      <body style="font-family:sans-serif;font-size:15px;line-height:1.4;max-width:40em">
      \(body)</body></html>

      """
  }

  /// The limits of Slack's Block Kit (docs.slack.dev, blocks): 50 blocks, 150 characters of a header, 3,000 of a text.
  private static let (mostBlocks, mostOfHeader, mostOfBlock) = (50, 150, 3_000)

  /// A JSON object for an incoming webhook. Text is verbatim, so that a name cannot become a link or a mention.
  private var slack: String {
    var blocks = [
      "{\"type\":\"header\",\"text\":{\"type\":\"plain_text\",\"text\":\(jsonString(Self.cut(visible(subject), to: Self.mostOfHeader)))}}"
    ]
    for section in sections {
      var texts: [String] = []
      var text = "*\(section.title)*"
      for line in section.lines {
        let link = line.address.map { " <\(slackEscaped($0))|open>" } ?? ""
        let item = "\n• \(Self.cut(slackEscaped(visible(line.text)), to: 1_500))\(link)"
        if text.count + item.count > Self.mostOfBlock {
          texts.append(text)
          text = String(item.dropFirst())
        } else {
          text += item
        }
      }
      texts.append(text)
      blocks += texts.map {
        "{\"type\":\"section\",\"text\":{\"type\":\"mrkdwn\",\"verbatim\":true,\"text\":\(jsonString($0))}}"
      }
    }
    if blocks.count > Self.mostBlocks {
      let more = "{\"type\":\"section\",\"text\":{\"type\":\"plain_text\",\"text\":\"More is in the night's record.\"}}"
      blocks = blocks.prefix(Self.mostBlocks - 1) + [more]
    }
    return "{\"text\":\(jsonString(slackEscaped(visible(subject)))),\"blocks\":[\(blocks.joined(separator: ","))]}\n"
  }

  private var json: String {
    let parts = sections.map { section in
      let lines = section.lines.map { line in
        "{\"text\":\(jsonString(line.text)),\"address\":\(line.address.map(jsonString) ?? "null")}"
      }
      return "{\"title\":\(jsonString(section.title)),\"lines\":[\(lines.joined(separator: ","))]}"
    }
    return "{\"subject\":\(jsonString(subject)),\"sections\":[\(parts.joined(separator: ","))]}\n"
  }
}

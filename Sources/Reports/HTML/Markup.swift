extension DefaultStringInterpolation {
  /// Markup in a `String` would be escaped, or shown as Swift describes it.
  @available(*, unavailable, message: "make this text Markup")
  mutating func appendInterpolation(_ value: Markup) {}

  @available(*, unavailable, message: "make this text Markup")
  mutating func appendInterpolation(_ values: [Markup]) {}
}

/// Markup of a page. Text that is put into it by interpolation is escaped; markup is not.
public struct Markup: ExpressibleByStringInterpolation, Sendable, Hashable {
  public private(set) var text: String

  /// - Parameter text: Markup already.
  init(trusted text: String) { self.text = text }

  public init(stringLiteral text: String) { self.text = text }

  public init(stringInterpolation: StringInterpolation) { text = stringInterpolation.text }

  public struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var text = ""

    public init(literalCapacity: Int, interpolationCount: Int) { text.reserveCapacity(literalCapacity) }

    public mutating func appendLiteral(_ literal: String) { text += literal }

    /// A text of any origin, with what is hidden in it shown.
    public mutating func appendInterpolation(_ value: String) { text += htmlEscaped(value) }

    /// A text of any origin as it is, for the value of a field.
    public mutating func appendInterpolation(literal value: String) { text += htmlLiteral(value) }

    public mutating func appendInterpolation(_ value: Int) { text += String(value) }

    public mutating func appendInterpolation(_ value: Markup) { text += value.text }

    public mutating func appendInterpolation(_ values: [Markup]) { for value in values { text += value.text } }

    /// A coordinate or length.
    mutating func appendInterpolation(_ value: Double) { text += svgNumber(value) }
  }

  public static func + (left: Markup, right: Markup) -> Markup { Markup(trusted: left.text + right.text) }

  public static func += (left: inout Markup, right: Markup) { left.text += right.text }

  public var isEmpty: Bool { text.isEmpty }
}

extension [Markup] {
  /// One after another, a line each.
  public var joined: Markup { Markup(trusted: map(\.text).joined(separator: "\n")) }
}

/// Columns of a terminal that a visible text fills.
func displayWidth(_ text: String) -> Int {
  if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.utf8.count }
  var width = 0
  for scalar in text.unicodeScalars {
    switch scalar.value {
    // Latin letters, dashes and dots, lines of tables: what most cells have; none of them joins what precedes it.
    case 0x20..<0x300, 0x2010..<0x2028, 0x2500..<0x2580: width += 1
    default: return text.reduce(0) { $0 + displayWidth($1) }
    }
  }
  return width
}

/// A character's columns: 2 for emoji, else the sum of its scalars'.
private func displayWidth(_ character: Character) -> Int {
  let scalars = character.unicodeScalars
  let isEmoji =
    scalars.contains { $0.properties.isEmojiPresentation }
    || scalars.contains("\u{FE0F}") && scalars.contains { $0.properties.isEmoji }
  return isEmoji ? 2 : scalars.reduce(0) { $0 + displayWidth($1) }
}

/// 2 for wide and full-width scalars, 0 for those that combine with what is before them.
///
/// Source: Unicode 16, `EastAsianWidth.txt` (W and F without the emoji, over unassigned gaps).
private func displayWidth(_ scalar: Unicode.Scalar) -> Int {
  switch scalar.value {
  case 0x20..<0x300: return 1
  case 0x1160...0x11FF: return 0  // Hangul vowels and finals, which join the wide initial before them
  case 0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0x3247, 0x3250...0xA4CF, 0xA960...0xA97F,
    0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6,
    0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF, 0x1F200...0x1F265, 0x20000...0x3FFFD:
    return 2
  default:
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format, .control: return 0
    default: return 1
    }
  }
}

/// A visible text of at most so many columns, with `…` where its end is left out.
func truncated(_ text: String, to width: Int) -> String {
  guard displayWidth(text) > width else { return text }
  var shown = ""
  var left = width - 1
  for character in text {
    left -= displayWidth(String(character))
    if left < 0 { break }
    shown.append(character)
  }
  return shown + "…"
}

/// A visible text with its emphasis, filled to so many columns with spaces that have none.
func padded(
  _ text: String, _ emphasis: (String) -> String = { $0 }, to width: Int, isLeftAligned: Bool
) -> String {
  let blanks = String(repeating: " ", count: max(0, width - displayWidth(text)))
  return isLeftAligned ? emphasis(text) + blanks : blanks + emphasis(text)
}

/// The lines of a visible text behind a mark, below which they go on.
func wrapped(
  _ text: String, to width: Int, behind mark: String, _ emphasis: (String) -> String = { $0 }
) -> [String] {
  wrapped(text, to: width).enumerated().map { ($0.offset == 0 ? mark : "  ") + emphasis($0.element) }
}

/// The lines of a visible text, broken at spaces but not before a unit, as in `17 d`, `4.8 pp` and `5 USD`; a word
/// longer than the width has a line of its own.
func wrapped(_ text: String, to width: Int) -> [String] {
  let words = text.split(separator: " ").reduce(into: [String]()) { words, word in
    if isUnit(word), words.last?.last?.isNumber == true {
      words[words.count - 1] += " " + word
    } else {
      words.append(String(word))
    }
  }
  return words.reduce(into: []) { lines, word in
    if let line = lines.last, displayWidth(line) + 1 + displayWidth(word) <= width {
      lines[lines.count - 1] += " " + word
    } else {
      lines.append(word)
    }
  }
}

/// Whether a word is the unit of the number before it: `%`, days, percentage points or a currency.
private func isUnit(_ word: Substring) -> Bool {
  let unit = word.prefix { $0.isLetter || $0 == "%" }
  return ["%", "d", "pp"].contains(unit) || unit.utf8.count == 3 && unit.allSatisfy { ("A"..."Z").contains($0) }
}

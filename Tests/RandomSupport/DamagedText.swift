public import Basics

/// Texts of YAML with damages, as a slip of the hand or of a disk makes them.
public enum DamagedText {
  private static let words = [
    "{", "}", "[", "]", ": ", "- ", "&a ", "*a", "~", "\"", "\u{0}", "-1", "1e400", ".nan", "!!int ", "\t",
  ]

  /// One of the seeds, with one to three scalars gone, moved or repeated, or words put in that mean something to YAML.
  public static func of(_ seeds: [String], using random: inout SplitMix64) -> String {
    var scalars = Array((seeds.randomElement(using: &random) ?? "").unicodeScalars)
    for _ in 0..<Int.random(in: 1...3, using: &random) {
      guard let place = scalars.indices.randomElement(using: &random),
        let other = scalars.indices.randomElement(using: &random), let word = words.randomElement(using: &random)
      else { break }
      switch Int.random(in: 0..<4, using: &random) {
      case 0: scalars.remove(at: place)
      case 1: scalars.insert(contentsOf: word.unicodeScalars, at: place)
      case 2: scalars.swapAt(place, other)
      default: scalars.insert(contentsOf: scalars[place..<min(scalars.count, place + 20)], at: place)
      }
    }
    var text = ""
    text.unicodeScalars.append(contentsOf: scalars)
    return text
  }
}

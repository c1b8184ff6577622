internal import EventModel

extension Proposal {
  /// Returns the column that is most likely a part that none clearly is, as ``missing`` names it; `nil` if none is likely.
  public func likeliest(_ part: String) -> String? {
    let field = ["user": EventField.userID, "time": .ts, "event name": .event][part]
    guard let field else { return nil }
    func score(_ column: Column) -> Double {
      let words = NameWords.words(of: FieldSynonyms.lastStep(of: column.path))
      guard column.field == nil, column.filled >= 0.5, Self.formerWords.isDisjoint(with: words) else { return 0 }
      let own = FieldSynonyms.score(of: column.path, for: field)
      switch field {
      case .userID: return words.contains("email") ? max(own, 0.5) : own
      case .ts: return column.type == "instant" ? max(own, 0.3) : own
      default:
        guard column.type == "text", (2...50).contains(column.distinct) else { return 0 }
        return FieldSynonyms.isState(column.path) ? max(own, 0.5) : own
      }
    }
    let best = columns.map { (path: $0.path, score: score($0)) }.max { $0.score < $1.score }
    return best.flatMap { $0.score >= 0.3 ? $0.path : nil }
  }

  /// Words of columns that say what was before.
  private static let formerWords: Set<String> = ["old", "previous", "prior", "before", "former"]
}

internal import Store

extension ReportQuery {
  /// The columns of a spell that dimensions are taken from (definitions 2.10, 2.11).
  private static let ofSpell = [
    "app", "person", "experiment", "variant", "paywall", "entry_point", "plan", "is_family_tier", "trial_kind",
    "client",
    "properties",
  ].map { "s.\($0) AS \($0)" }

  /// Payments, or what belongs to them, with their spell's dimensions, as `FROM` reads them.
  ///
  /// - Parameters:
  ///   - table: It has `person` and `spell`, and the alias `p`.
  ///   - columns: As `expression AS name` over the aliases `p` and, for the spell, `s`.
  ///   - join: Further joins.
  func ofSpells(_ table: FactTable, columns: [String], join: String = "") -> String {
    """
    (SELECT \((Self.ofSpell + columns).joined(separator: ", "))
     FROM \(facts.table(table)) AS p
     JOIN \(facts.table(.spell)) AS s ON s.person = p.person AND s.number = p.spell
     \(join))
    """
  }
}

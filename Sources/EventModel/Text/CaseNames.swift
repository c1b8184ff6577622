/// The names of an enumeration's cases in files, in snake case: `userID` is `user_id`. Its raw values count from 0.
package struct CaseNames<Case: CaseIterable & RawRepresentable & Sendable>: Sendable
where Case.RawValue: BinaryInteger {
  private let names: [String]
  private let cases: [String: Case]

  package init() {
    names = Case.allCases.map { Self.snakeCase("\($0)") }
    cases = Dictionary(uniqueKeysWithValues: zip(names, Case.allCases))
  }

  package subscript(one: Case) -> String { names[Int(one.rawValue)] }

  /// Returns the case with a name; `nil` for an unknown name.
  package func of(_ name: String) -> Case? { cases[name] }

  private static func snakeCase(_ name: String) -> String {
    var words = ""
    var isBehindSmall = false
    for letter in name {
      if letter.isUppercase, isBehindSmall { words += "_" }
      isBehindSmall = letter.isLowercase
      words += letter.lowercased()
    }
    return words
  }
}

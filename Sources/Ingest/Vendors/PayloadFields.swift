internal import Basics

/// The members of a vendor's object during mapping; members that are not taken go to `properties`.
struct PayloadFields {
  private var members: [JSONMember]
  private var taken: Set<String> = []

  init(_ members: [JSONMember]) { self.members = members }

  /// Creates the fields from the members of an object; any other value has none.
  init(_ value: JSONNode?) { self.init(value?.members ?? []) }

  /// Returns the value without taking it; `nil` if it is absent.
  func peek(_ name: String) -> JSONNode? {
    guard let value = members.last(where: { $0.name == name })?.value, !value.isAbsent else { return nil }
    return value
  }

  /// Takes the value unchanged.
  mutating func take(_ name: String) -> JSONNode? {
    taken.insert(name)
    return peek(name)
  }

  /// Takes a value if `read` accepts it; a value of another type stays for `properties`.
  private mutating func take<Result>(_ name: String, _ read: (JSONNode) -> Result?) -> Result? {
    guard let value = peek(name) else {
      taken.insert(name)
      return nil
    }
    guard let result = read(value) else { return nil }
    taken.insert(name)
    return result
  }

  mutating func text(_ name: String) -> String? { take(name) { $0.text } }
  mutating func flag(_ name: String) -> Bool? { take(name) { $0.flag } }

  /// Takes a share in `0...1`.
  mutating func share(_ name: String) -> JSONNode? {
    take(name) { value in value.double.flatMap { (0...1).contains($0) ? value : nil } }
  }

  /// Takes a country code of two letters.
  mutating func country(_ name: String) -> JSONNode? {
    take(name) { value in
      guard case .string(let text) = value, text.utf8.count == 2,
        text.utf8.allSatisfy({ ($0 | 0x20) &- UInt8(ascii: "a") < 26 })
      else { return nil }
      return value
    }
  }

  /// Drops fields that other fields of the event already express.
  mutating func drop(_ names: String...) { taken.formUnion(names) }

  /// The members that were not taken and are not absent.
  var rest: [JSONMember] {
    members.filter { !taken.contains($0.name) && !$0.value.isAbsent }
  }
}

internal import Basics

extension MappingFile {
  /// Whether the mapping includes the rules for Superwall's SDK.
  public var includesSuperwall: Bool { !includedIgnored.isEmpty }

  /// Adds the rules of built-in fragments for names of which the file itself says nothing.
  mutating func include(
    _ yaml: YAMLValue, _ money: SuperwallMoney, _ numbers: ValueNumbers
  ) throws(ConfigurationError) {
    for name in try yaml.texts() where name != SuperwallFragment.name {
      throw yaml.failure("is \(name), but must be \(SuperwallFragment.name)")
    }
    let keys = try YAMLValue.root(of: SuperwallFragment.yaml(money), file: SuperwallFragment.name)
      .members(["events", "ignore"])
    var defaults = try MappingDefaults([:])
    defaults.numbers = numbers
    for (name, yaml) in try keys["events"]?.members() ?? [] where events[name] == nil && !ignored.contains(name) {
      var rules: [Rule] = []
      for rule in try yaml.elements() {
        var rule = try Rule(rule, defaults)
        rule.isIncluded = true
        rules.append(rule)
      }
      events[name] = rules
    }
    includedIgnored = Set(try keys["ignore"]?.texts() ?? [])
  }

  /// Returns the rules of an event's name; `nil` if it has none.
  func rules(of name: String) -> [Rule]? {
    if let exact = events[name] { return exact }
    if patterns.isEmpty || ignored.contains(name) { return nil }
    guard let found = patterns.first(where: { $0.glob.matches(name) }) else { return nil }
    // Names that a fragment ignores come before the rules of all other names.
    return found.glob.text == "*" && includedIgnored.contains(name) ? nil : found.rules
  }

  /// Returns whether events of a name without rules are left out.
  func ignores(_ name: String) -> Bool {
    ignored.contains(name) || ignored.contains("*") || includedIgnored.contains(name)
  }
}

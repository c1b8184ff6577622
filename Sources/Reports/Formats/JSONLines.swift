/// JSON's nested members, each on a line of its own.
struct JSONLines {
  private(set) var text = ""
  private var depth = 0
  private var isEmpty = true

  mutating func open(_ bracket: String, for name: String? = nil) {
    add(bracket, for: name)
    depth += 1
    isEmpty = true
  }

  mutating func close(_ bracket: String) {
    depth -= 1
    if !isEmpty { newLine() }
    text += bracket
    isEmpty = false
  }

  mutating func add(_ value: String, for name: String? = nil) {
    if depth > 0 {
      if !isEmpty { text += "," }
      newLine()
    }
    if let name { text += "\(jsonString(name)): " }
    text += value
    isEmpty = false
  }

  /// Adds an object of texts.
  mutating func add(_ texts: [(name: String, text: String)], for name: String) {
    open("{", for: name)
    for (name, text) in texts { add(jsonString(text), for: name) }
    close("}")
  }

  /// Adds a list of texts.
  mutating func add(_ texts: [String], for name: String) {
    open("[", for: name)
    for text in texts { add(jsonString(text)) }
    close("]")
  }

  private mutating func newLine() {
    text += "\n" + String(repeating: "  ", count: depth)
  }
}

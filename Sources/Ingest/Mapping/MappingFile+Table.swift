internal import Basics

extension MappingFile.Table {
  init(_ yaml: YAMLValue) throws(ConfigurationError) {
    let keys = try yaml.members(["delimiter", "encoding", "header"])
    if let yaml = keys["delimiter"] {
      let text = try yaml.text()
      let delimiter = text == "\\t" || text == "tab" ? "\t" : text
      guard delimiter.utf8.count == 1, let byte = delimiter.utf8.first, byte < 0x80, byte != 0x22, byte != 0x0A else {
        throw yaml.failure("is \(text), but must be one character, such as \";\" or \"\\t\"")
      }
      self.delimiter = byte
    }
    if let yaml = keys["encoding"] {
      switch try yaml.text().lowercased() {
      case "utf-8", "utf-16": break
      case "windows-1252": isWindows1252 = true
      case let text: throw yaml.failure("is \(text), but must be utf-8, utf-16 or windows-1252")
      }
    }
    if let yaml = keys["header"] {
      hasNoHeader = true
      if yaml.isList {
        names = try yaml.texts()
      } else if try yaml.boolean() {
        hasNoHeader = false
      }
    }
  }
}

import ArgumentParser
import Reports

/// Notes on days for the axes of time of pages.
struct AnnotationArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "YAML file of notes to draw in charts over time: a list of day, text and, for one app only, app.",
      valueName: "file"),
    completion: .file(extensions: ["yaml", "yml"]))
  var annotations: String?

  /// Reads the file.
  func notes() throws -> [TimeMark] {
    guard let annotations else { return [] }
    return try TimeMark.notes(SmallFile.text(of: annotations), file: annotations)
  }
}

import ArgumentParser
import Metrics

/// Notes on days, for axes of time and beside what changed.
struct AnnotationArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "YAML file of notes on days, as `tollgate note` writes it.",
      valueName: "file"),
    completion: .file(extensions: ["yaml", "yml"]))
  var annotations: String?

  /// Reads the file.
  func notes() throws -> [DayNote] {
    guard let annotations else { return [] }
    return try DayNote.all(yaml: SmallFile.text(of: annotations), file: annotations)
  }
}

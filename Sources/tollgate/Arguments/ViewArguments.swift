import ArgumentParser
import Basics
import Foundation
import Metrics

/// The option for the file of saved views.
struct ViewArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp("File of views (default: views.yaml next to the store).", valueName: "file"),
    completion: .file(extensions: ["yaml", "yml"]))
  var views: String?

  func file(_ common: CommonOptions) -> ViewFile {
    ViewFile(path: views ?? common.beside("views.yaml"), isNamed: views != nil)
  }
}

struct ViewFile: Sendable {
  var path: String
  /// Whether the command line names it.
  var isNamed: Bool

  /// Reads the file.
  func all() throws -> [NamedReport] {
    if !isNamed, !FileManager.default.fileExists(atPath: path) {
      throw UsageError("there is no views.yaml next to the store; see `tollgate view --help`")
    }
    return try NamedReport.all(yaml: SmallFile.text(of: path), file: path)
  }

  /// Reads the file; returns no views if none is named and none is next to the store.
  func allIfThere() throws -> [NamedReport] {
    if !isNamed, !FileManager.default.fileExists(atPath: path) { return [] }
    return try all()
  }
}

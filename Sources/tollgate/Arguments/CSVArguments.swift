import ArgumentParser

/// How CSV is written.
struct CSVArguments: ParsableArguments {
  @Flag(help: "CSV whose cells no spreadsheet runs as a formula.")
  var spreadsheet = false
}

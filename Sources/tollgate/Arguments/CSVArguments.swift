import ArgumentParser

/// How CSV is written.
struct CSVArguments: ParsableArguments {
  @Flag(help: "Keep CSV cells such as =1+1 text when a spreadsheet opens them.")
  var spreadsheet = false
}

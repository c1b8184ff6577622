import ArgumentParser

/// How CSV is written.
struct CSVArguments: ParsableArguments {
  @Flag(help: "Make spreadsheets show CSV cells such as =1+1 as text.")
  var spreadsheet = false
}

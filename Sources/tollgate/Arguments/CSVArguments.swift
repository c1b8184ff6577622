import ArgumentParser

/// How CSV is written.
struct CSVArguments: ParsableArguments {
  @Flag(help: "Protect CSV cells such as =1+1, so that a spreadsheet shows them as text.")
  var spreadsheet = false
}

import Foundation
import Testing

/// `calc` from arguments and from standard input.
@Suite struct CalcCommandTests {
  @Test func requestsOnStandardInputAreAnswered() throws {
    try Folder.with { folder in
      let input = "{\"id\": 1, \"method\": \"wilson\", \"input\": {\"x\": 0, \"n\": 0}}\n\nnonsense\n"
      let result = try Program.run(["calc"], input: input, in: folder.url)
      #expect(result.status == 0 && result.errors == "")
      let lines = result.output.split(separator: "\n")
      #expect(lines.count == 2 && lines[0].hasPrefix("{\"id\": 1, \"result\": ") && lines[1].contains("\"error\""))
      let empty = try Program.run(["calc"], input: "\n", in: folder.url)
      #expect(empty.status == 2 && empty.output == "" && empty.errors.contains("tollgate calc interval 42/180"))
    }
  }

  @Test(arguments: [
    (["proportions", "--control", "8502/44700", "--treatment", "8279/45489"], "0.001554"),
    (["interval", "42/180", "--confidence", "99%"], "99% interval"),
    (["sample-size", "--baseline", "10%", "--lift", "20%"], "3,841"),
    (["sample-size", "--mean", "1.2", "--sd", "9", "--lift", "10%"], "Welch"),
    (["sample-size", "--baseline", "0.05", "--margin", "1%"], "not worse by 1 points"),
    (
      ["duration", "--users", "7682", "--per-day", "400", "--maturity", "10"],
      "30 days after its start. Whole weeks are safer"
    ),
    // 20 days of arrival and 15 of maturity are five weeks.
    (["duration", "--users", "8000", "--per-day", "400", "--maturity", "15"], "35 days after its start.\n"),
    (["duration", "--baseline", "0.1", "--difference", "0.02", "--per-day", "400"], "20 days after"),
    (["srm", "--observed", "44700,45489", "--weights", "50,50"], "6.902"),
  ])
  func questionsAreAnsweredForPeopleAndPrograms(arguments: [String], words: String) throws {
    try Folder.with { folder in
      let text = try Program.run(["calc"] + arguments, in: folder.url)
      #expect(text.status == 0 && text.errors == "" && text.output.contains(words), "\(text)")
      let json = try Program.run(["calc"] + arguments + ["--format", "json"], in: folder.url)
      let object = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any]
      #expect(json.status == 0 && object?["reading"] is String)
    }
  }

  @Test(arguments: [
    (["proportions", "--control", "5/3", "--treatment", "1/2"], ["5/3", "--control", "8502/44700"]),
    (["proportions", "--control", "5/30"], ["--treatment"]),
    (["interval", "4/9", "--confidence", "95"], ["--confidence", "95", "between 0 and 1"]),
    (["sample-size", "--baseline", "10%"], ["--lift", "--difference", "--margin"]),
    (["sample-size", "--baseline", "90%", "--lift", "20%"], ["1.08", "--baseline"]),
    (["sample-size", "--mean", "3", "--lift", "20%"], ["--sd"]),
    (["duration", "--per-day", "5"], ["--baseline"]),
    (["duration", "--users", "5", "--per-day", "0"], ["--per-day"]),
    (["srm", "--observed", "5"], ["--observed", "4470,4548"]),
    (["srm", "--observed", "5,6", "--weights", "1"], ["--weights", "--observed"]),
    (["guess"], ["guess"]),
  ])
  func wrongArgumentsEndWithTwo(arguments: [String], words: [String]) throws {
    try Folder.with { folder in
      let result = try Program.run(["calc"] + arguments, in: folder.url)
      #expect(result.status == 2 && result.output == "", "\(result)")
      for word in words { #expect(result.errors.contains(word), "\(word) in: \(result.errors)") }
    }
  }
}

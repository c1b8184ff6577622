import Dashboard
import Foundation
import Reports
import Testing

/// The dashboard over a real socket, compared with the command line on one store.
@Suite struct ServeCommandTests {
  static func serving(
    _ arguments: [String] = [], environment: [String: String] = [:],
    _ body: (Folder, RunningProgram) async throws -> Void
  ) async throws {
    let folder = try Folder()
    defer { folder.remove() }
    try folder.makeStore()
    let program = try RunningProgram(["serve"] + arguments, environment: environment, in: folder)
    try await body(folder, program)
    let end = try program.terminate()
    #expect(end.status == 0, "\(end.errors)")
  }

  /// Dashboard and command line give identical bytes for every report and every kind of option.
  @Test func tablesAreThoseOfTheCommandLine() async throws {
    try await Self.serving { folder, program in
      for (path, arguments) in [
        ("funnel?", ["funnel"]), ("funnel?by=none&unit=view", ["funnel", "--by", "none", "--unit", "view"]),
        (
          "funnel?by=country&by=property:x&where=entry_point%3Dsettings,widgets&where=variant%3Dx",
          [
            "funnel", "--by", "country,property:x", "--where", "entry_point=settings,widgets", "--where", "variant=x",
          ]
        ),
        (
          "trials?app=demo&from=2026-01-01&to=2026-02-01&timezone=Europe/Berlin&as-of=2026-02-01T00:00:00Z&grace=2",
          [
            "trials", "--app", "demo", "--from", "2026-01-01", "--to", "2026-02-01", "--timezone", "Europe/Berlin",
            "--as-of", "2026-02-01T00:00:00Z", "--grace", "2",
          ]
        ),
        ("savings?", ["savings"]), ("cancellations?attribution=all", ["cancellations", "--attribution", "all"]),
        ("value?pairs=true", ["value", "--pairs"]),
        ("value?renewal=yearly%3D0.5", ["value", "--renewal", "yearly=0.5"]),
        ("revenue?mode=gross&by=month", ["revenue", "--mode", "gross", "--by", "month"]),
        ("mrr?movement=true&by=month", ["mrr", "--movement", "--by", "month"]), ("subscriptions?", ["subscriptions"]),
        ("retention?by-period=true&at=2-5", ["retention", "--by-period", "--at", "2-5"]), ("ltv?", ["ltv"]),
        ("refunds?date=refund", ["refunds", "--date", "refund"]), ("cadence?horizon=9", ["cadence", "--horizon", "9"]),
        ("gates?", ["gates"]), ("recovery?by=plan", ["recovery", "--by", "plan"]),
        ("recovery?grace-whatif=16", ["recovery", "--grace-whatif", "16"]),
        ("saves?cancel-screens=a", ["saves", "--cancel-screens", "a"]),
        ("winback?by=plan", ["winback", "--by", "plan"]),
        ("paths?to-step=started", ["paths", "--to-step", "started"]), ("nudges?", ["nudges"]),
        ("activity?by=day", ["activity", "--by", "day"]),
        ("experiments?", ["experiments"]), ("experiment?name=test", ["experiment", "test"]),
        ("experiment?name=test&over-time=true", ["experiment", "test", "--over-time"]), ("health?", ["health"]),
        ("quarantine?", ["quarantine", "list"]), ("rates?", ["rates", "list"]),
        ("funnel?sort=users:desc&limit=1", ["funnel", "--sort", "users:desc", "--limit", "1"]),
      ] {
        for format in ["csv", "json"] {
          let printed = try Program.run(arguments + ["--format", format], in: folder.url)
          #expect(printed.status == 0, "\(arguments)")
          let answer = try await program.get("/api/v1/\(path)&format=\(format)")
          #expect(answer.status == 200 && answer.body == printed.output, "\(path) \(format)")
          #expect(answer.headers["content-type"]?.contains(format) == true)
        }
      }
      let safe = try folder.run("funnel", "--format", "csv", "--spreadsheet").output
      #expect(try await program.get("/api/v1/funnel?format=csv&spreadsheet=true").body == safe)
      #expect(try await program.get("/api/v1/funnel?format=csv&spreadsheet=maybe").status == 400)
    }
  }

  /// Answers are cached, but not past a commit, and not after another store replaces the file.
  @Test func answersAreOfTheStoreAsItIs() async throws {
    try await Self.serving(["--most-stale", "0"]) { folder, program in
      func isCurrent() async throws {
        for _ in 0..<2 {
          let answer = try await program.get("/api/v1/funnel?by=none&format=csv")
          #expect(answer.body == (try folder.run("funnel", "--by", "none", "--format", "csv").output))
        }
      }
      /// The menu has the numbers that the overview found, with those of the data-quality checks.
      func page() async throws -> String {
        while try await program.get("/").body.contains("Data-quality checks are running") {}
        return try await program.get("/reports/funnel?by=none").body
      }
      try await isCurrent()
      let before = try await page()
      #expect(try await page() == before)
      try folder.write(
        (0..<12_345).map {
          #"{"event_id":"n\#($0)","event":"paywall_impression","ts":"2026-01-02T00:00:00Z","app":"demo","user_id":"n\#($0)","entry_point":"new"}"#
        }.joined(separator: "\n"), to: "more.jsonl")
      #expect(try folder.run("ingest", "more.jsonl").status == 0)
      let after = try await page()
      #expect(after != before && after.contains(">12,3"))
      try await isCurrent()
      #expect(try folder.run("ingest", "--store", "other.db", "events.jsonl").status == 0)
      for suffix in ["-wal", "-shm", ""] {
        try? FileManager.default.removeItem(atPath: folder.path("tollgate.db" + suffix))
      }
      try FileManager.default.moveItem(atPath: folder.path("other.db"), toPath: folder.path("tollgate.db"))
      #expect(try await page() == before)
      try await isCurrent()
    }
  }

  /// A page may be the previous version and says so; a reload and machine-readable tables show the current store.
  @Test func formerPagesSaySo() async throws {
    try await Self.serving { folder, program in
      let before = try await program.get("/reports/funnel?by=none").body
      try folder.write(
        (0..<12_345).map {
          #"{"event_id":"n\#($0)","event":"paywall_impression","ts":"2026-01-02T00:00:00Z","app":"demo","user_id":"n\#($0)","entry_point":"new"}"#
        }.joined(separator: "\n"), to: "more.jsonl")
      #expect(try folder.run("ingest", "more.jsonl").status == 0)
      let next = try await program.get("/reports/funnel?by=none")
      let isFormer = next.headers["age"] != nil
      #expect(isFormer == next.body.contains(#"<p class="former""#))
      #expect(isFormer == (next.headers["cache-status"]?.hasPrefix("tollgate; hit; ttl=-") == true))
      #expect(isFormer != next.body.contains(">12,3"))
      let tables = try await program.get("/api/v1/funnel?by=none&format=csv")
      #expect(tables.body == (try folder.run("funnel", "--by", "none", "--format", "csv").output))
      let reloaded = try await program.get("/reports/funnel?by=none", headers: ["Cache-Control": "max-age=0"])
      #expect(reloaded.headers["age"] == nil && reloaded.body != before && reloaded.body.contains(">12,3"))
    }
  }

  /// Each report has exactly the options of its command, except those that make no sense on the web.
  @Test func parametersAreTheOptionsOfTheCommands() throws {
    let others: Set = [
      "store", "quiet", "log-level", "format", "spreadsheet", "plot", "output", "version", "help", "config",
      "log-format", "known-at", "columns", "notes", "width", "no-pager", "fail-if-empty", "receipt",
    ]
    // Options of tables alone, or of files.
    let own: [String: Set<String>] = [
      "experiment": ["sort", "limit", "all", "more", "section", "memo", "freeze"], "health": ["severity"],
      "quarantine": ["by", "raw"], "paths": ["paths"], "reconcile": ["by", "product"], "experiments": ["plans"],
    ]
    try Folder.with { folder in
      for view in ReportView.all {
        let command = ["quarantine", "rates"].contains(view.name) ? [view.name, "list"] : [view.name]
        let help = try Program.run(command + ["--help"], in: folder.url).output
        let options = Set(help.matches(of: /\n  (?:-h, )?--([a-z-]+)/).map { String($0.1) })
        let wanted = options.subtracting(others).subtracting(own[view.name] ?? [])
        let parameters = Set(view.parameters.map(\.name)).subtracting(view.name == "experiment" ? ["name"] : [])
        #expect(parameters == wanted, "\(view.name)")
      }
    }
  }

  @Test func theDescriptionIsOfWhatIsServed() async throws {
    try await Self.serving { _, program in
      let answer = try await program.get("/api/v1/openapi.json")
      let document = try #require(try JSONSerialization.jsonObject(with: Data(answer.body.utf8)) as? [String: Any])
      #expect(document["openapi"] as? String == "3.1.0")
      let paths = try #require(document["paths"] as? [String: [String: [String: Any]]])
      let explained = [
        "funnel", "trials", "savings", "cancellations", "revenue", "mrr", "subscriptions", "retention", "ltv",
        "refunds", "cadence", "gates", "nudges", "activity", "value", "experiments", "health", "paths", "recovery",
        "saves", "winback",
      ]
      let drivers = [
        "funnel": "paid_rate", "paths": "sheet_rate", "trials": "trial_to_paid_rate", "savings": "yearly_share",
        "cancellations": "trial_cancel_rate", "refunds": "refund_rate", "revenue": "gross",
        "mrr": "mrr", "subscriptions": "churn_rate", "recovery": "recovered_rate", "saves": "saved_rate",
        "experiment": "paid&name=test",
      ]
      #expect(
        Set(paths.keys)
          == Set(
            ReportView.all.map { "/api/v1/\($0.name)" } + explained.map { "/api/v1/\($0)/explain" }
              + drivers.keys.map { "/api/v1/\($0)/why" }))
      for (path, operations) in paths {
        let parameters = try #require(operations["get"]?["parameters"] as? [[String: Any]])
        if path.hasSuffix("/explain") {
          let required = parameters.filter { $0["required"] as? Bool == true }.map { $0["name"] as? String }
          #expect(required == ["column"], "\(path)")
          continue
        }
        let column = drivers.first { path == "/api/v1/\($0.key)/why" }?.value
        // A vendor and one of its metrics go together.
        let isOfVendor = path.hasSuffix("/reconcile")
        let query =
          isOfVendor
          ? "?vendor=adapty&metric=revenue"
          : column.map { "?column=\($0)" }
            ?? (parameters.contains { $0["required"] as? Bool == true } ? "?name=test" : "")
        let table = try await program.get(path + query)
        let object = try JSONSerialization.jsonObject(with: Data(table.body.utf8)) as? [String: Any]
        #expect(table.status == 200 && object?["rows"] is [Any], "\(path): \(table.body)")
        // Each parameter can be sent alone, with an enumerated value if it has any.
        for parameter in parameters {
          let schema = try #require(parameter["schema"] as? [String: Any])
          guard let name = parameter["name"] as? String, let value = (schema["enum"] as? [String])?.last,
            !isOfVendor || !["vendor", "metric"].contains(name)
          else {
            continue
          }
          let joint = query.isEmpty ? "?" : query + "&"
          #expect(try await program.get("\(path)\(joint)\(name)=\(value)").status == 200, "\(path) \(name)")
        }
      }
    }
  }

  @Test func pagesHaveOneScriptAndForbidOthers() async throws {
    try await Self.serving { folder, program in
      let pages = ReportView.all.map { "/reports/\($0.name)" } + ["/", "/reports/experiment?name=test"]
      for path in pages {
        let page = try await program.get(path)
        #expect(page.status == 200, "\(path): \(page.body)")
        #expect(page.headers["content-type"] == "text/html; charset=utf-8")
        let policy = page.headers["content-security-policy"] ?? ""
        #expect(
          policy.hasPrefix("default-src 'none'; script-src 'self'; style-src 'self'; ") && !policy.contains("unsafe"))
        #expect(page.headers["x-content-type-options"] == "nosniff" && page.headers["x-frame-options"] == "DENY")
        let markup = page.body.lowercased()
        let scripts = markup.matches(of: /<script[^>]*>/).map { String($0.output) }
        #expect(scripts == [#"<script defer src="/\#(Design.scriptName)">"#], "\(path)")
        #expect(!markup.contains(" style=") && !markup.contains("<style") && !markup.contains("javascript:"))
        #expect(markup.firstMatch(of: /<[^>]* on[a-z]+=/) == nil, "\(path)")
        #expect(markup.matches(of: /<h1>/).count == 1 && markup.contains(#"<main class="page" id="main">"#))
        // Every link on it leads somewhere here.
        for link in markup.matches(of: /(?:href|action)="([^"]*)"/).map({ String($0.1) }) {
          #expect(link.hasPrefix("/") || link.hasPrefix("#") || link == "data:,", "\(path): \(link)")
        }
      }
      for (name, type) in [(Design.stylesheetName, "text/css"), (Design.scriptName, "text/javascript")] {
        let file = try await program.get("/\(name)")
        #expect(file.headers["content-type"] == "\(type); charset=utf-8")
        #expect(file.headers["cache-control"] == "private, max-age=31536000, immutable")
      }
      #expect(Design.script.utf8.count <= 8_192)
    }
  }

  /// A page's numbers equal those of its table, and its links lead to that table.
  @Test func aPageShowsWhatIsAskedFor() async throws {
    try await Self.serving { folder, program in
      let page = try await program.get("/reports/funnel?by=entry_point&where=variant%3Dx")
      let table = page.body.components(separatedBy: #"id="table-1""#).last ?? ""
      #expect(table.contains("settings") && !table.contains("widgets"))
      #expect(page.body.contains("tollgate funnel --by=entry_point --where=variant=x"))
      let link = try #require(page.body.firstMatch(of: /href="([^"]*format=csv)"/)).1
      let address = link.replacing("&amp;", with: "&")
      let printed = try folder.run("funnel", "--by", "entry_point", "--where", "variant=x", "--format", "csv").output
      #expect(try await program.get(String(address)).body == printed)
      // The form has what was asked for.
      #expect(page.body.contains(#"name="by" type="text" value="entry_point""#))
      #expect(page.body.contains(#"name="where" type="text" value="variant=x""#))
      // A link of each filter has all the others: the same one is shown once, and a dozen in all.
      let same = try await program.get("/reports/funnel?by=variant" + String(repeating: "&where=a%3Dx", count: 400))
      #expect(same.body.components(separatedBy: "class=\"chip\"").count == 2)
      let many = try await program.get("/reports/funnel?" + (1...50).map { "where=a\($0)%3Dx" }.joined(separator: "&"))
      #expect(many.body.components(separatedBy: "class=\"chip\"").count == 13 && many.body.contains("and 38 more"))
      // Events of a later ingest appear after a reload.
      try folder.write(
        Folder.event(
          "paywall_impression", "9", "2026-01-03T10:00:00Z", user: "z", #","entry_point":"added","variant":"x""#),
        to: "more.jsonl")
      #expect(try folder.run("ingest", "more.jsonl").status == 0)
      let reloaded = try await program.get(
        "/reports/funnel?by=entry_point&where=variant%3Dx", headers: ["Cache-Control": "max-age=0"])
      #expect(reloaded.body.contains("added"))
    }
  }

  /// Names from event files and addresses are treated as text, whatever they contain.
  @Test func hostileNamesAddNoMarkup() async throws {
    let names = [
      #"</td><script>alert(1)</script>"#, #"\" onmouseover=\"alert(1)"#, #"\"\u0301 autofocus onfocus=alert(1) x=\""#,
      #"'><img src=x onerror=alert(1)>"#, #"<\u0338b>"#, #"\u202Egnp"#, #"=cmd|' /C calc'!A0"#, #"{{title}}"#,
      #"{{{content}}}"#, #"%3Cscript%3E"#, #"a&b=c"#,
    ]
    let folder = try Folder()
    defer { folder.remove() }
    var events = ""
    for (place, name) in names.enumerated() {
      let more = #","entry_point":"\#(name)","variant":"\#(name)","experiment":"\#(name)","country":"DE""#
      events += Folder.event(
        "paywall_impression", "\(place)", "2026-01-01T10:00:00Z", user: "u\(place)", more
      ).replacing(#""app":"demo""#, with: #""app":"\#(name)""#)
    }
    try folder.write(events, to: "events.jsonl")
    #expect(try folder.run("ingest", "events.jsonl").output.contains("\(names.count) events"))
    let program = try RunningProgram(["serve"], in: folder)
    let plain = try #require(
      "%22%CC%81%20onfocus%3Dalert(1)%20x%3D%22".removingPercentEncoding?.addingPercentEncoding(
        withAllowedCharacters: .alphanumerics))
    for path in [
      "/", "/reports/funnel", "/reports/experiments", "/reports/experiment", "/reports/health",
      "/reports/funnel?where=entry_point%3D\(plain)&app=\(plain)&by=property:\(plain)",
      "/reports/funnel?sort=\(plain)", "/reports/trials?timezone=\(plain)", "/reports/quarantine?reason=\(plain)",
      "/reports/experiment?name=\(plain)", "/reports/funnel?\(plain)=1",
    ] {
      let page = try await program.get(path)
      #expect([200, 400].contains(page.status), "\(path)")
      // Parsed as a browser does: scalar by scalar, with attributes in quotes.
      let scalars = String(String.UnicodeScalarView(page.body.unicodeScalars.map { $0.isASCII ? $0 : "x" }))
      for tag in scalars.matches(of: /<[a-z\/!][^>]*>/).map({ String($0.output) }) {
        let bare = tag.replacing(/"[^"]*"/, with: "")
        if bare == "<script defer src=>" || bare == "</script>" { continue }
        #expect(!bare.contains("script") && bare.firstMatch(of: /\son[a-z]+/) == nil && !bare.contains("'"), "\(tag)")
        #expect(bare.firstMatch(of: /autofocus|<img/) == nil, "\(tag)")
      }
      // A form sends back the original text; displayed text contains no bidirectional override.
      #expect(!page.body.replacing(/<[^>]*>/, with: "").unicodeScalars.contains("\u{202E}"), "\(path)")
    }
    #expect(try program.terminate().status == 0)
  }

  /// A picture is a file to save, under the policy of every page, and linked from its page.
  @Test func chartsAreFiles() async throws {
    try await Self.serving { _, program in
      let path = "/reports/funnel/chart?by=entry_point&chart=from-the-first-paywall-to-payment-by-entry-point"
      let page = try await program.get("/reports/funnel?by=entry_point").body
      #expect(page.contains(path.replacing("&", with: "&amp;")))
      let file = try await program.get(path)
      #expect(file.status == 200 && file.headers["content-type"]?.hasPrefix("image/svg+xml") == true)
      #expect(
        file.headers["content-disposition"]
          == #"attachment; filename="funnel-from-the-first-paywall-to-payment-by-entry-point.svg""#)
      #expect(file.headers["content-security-policy"]?.hasPrefix("default-src 'none'") == true)
      #expect(file.body.hasPrefix("<svg xmlns=") && file.body.contains("Funnel · demo · by entry point"))
    }
  }

  @Test func whatIsWrongIsSaid() async throws {
    try await Self.serving(["--row-limit", "1"]) { folder, program in
      let before = try folder.names
      for (path, status, words) in [
        ("/api/v1/funnel?colour=red", 400, ["colour", "expected", "where"]),
        ("/api/v1/funnel?output=stolen.csv", 400, ["output"]), ("/api/v1/funnel?format=xml", 400, ["xml", "csv"]),
        ("/api/v1/funnel?by=colour", 400, ["colour", "entry_point"]), ("/api/v1/funnel?from=soon", 400, ["soon"]),
        ("/api/v1/funnel?app=unknown", 400, ["unknown", "demo"]),
        ("/api/v1/funnel?sort=colour&limit=1", 400, ["colour"]),
        ("/api/v1/experiment", 400, ["name"]), ("/api/v1/experiment?name=tset", 400, ["tset", "did you mean test?"]),
        ("/api/v1/funnel", 400, ["2 rows", "limit"]), ("/api/v1/funnel?limit=1", 200, ["rows"]),
        ("/api/v1/funnel?app=%FF", 400, ["percent-encoded"]), ("/api/v1/nothing", 404, ["nothing"]),
        ("/api/v1/funel", 404, ["there is no report funel; did you mean funnel?"]),
        ("/api/nothing", 404, ["there is no GET /api/nothing; /api/v1/openapi.json lists all addresses"]),
        ("/api/v1/funnel?app=dmeo", 400, ["{\"error\":\"no app dmeo", "did you mean demo?"]),
        ("/reports/nothing", 404, ["nothing"]), ("/reports/experiment/explain?column=users", 404, ["experiment"]),
        ("/reports/nothing/chart?chart=x", 404, ["nothing"]), ("/reports/funnel/chart?chart=x", 404, ["no such chart"]),
        ("/reports/experiment/chart?name=tset", 400, ["tset"]),
        ("/reports/funnel/explain", 400, ["“Column” is missing", "Back to the table"]),
        ("/api/v1/funnel/explain?column=colour&key=entry_point%3Dsettings", 400, ["colour", "users"]),
        ("/api/v1/funnel/explain?column=users&key=entry_point%3D%3Cb%3E", 400, ["<b>"]),
        ("/reports/funnel/explain?column=users&key=entry_point%3D%3Cb%3E", 400, ["&lt;b&gt;", "Back to the table"]),
        ("/nothing", 404, ["There is no such page"]), ("/api/v1/ingest", 404, ["ingest"]),
        ("/reports/funnel?colour=red", 400, ["colour", "<form"]),
        ("/reports/funnel?from=soon", 400, ["soon", "<form"]), ("/?from=2001-01-01&to=2001-02-01", 200, ["no data"]),
        // The name that is meant is a link, and no link leads to what is not there.
        ("/reports/funnel?by=varient", 400, ["varient is not", #"href="/reports/funnel?by=variant"><bdi>variant"#]),
        (
          "/reports/experiment?name=tset", 400,
          ["<h1><bdi>tset</bdi></h1>", #"href="/reports/experiment?name=test"><bdi>test"#, "/reports/experiments\">"]
        ),
        ("/reports/funnel?app=nothing", 400, [#"<p class="crumb"><a href="/"><bdi>Overview</bdi></a></p>"#]),
      ] {
        let answer = try await program.get(path)
        #expect(answer.status == status, "\(path): \(answer.body)")
        for word in words { #expect(answer.body.contains(word), "\(path): \(word) in \(answer.body)") }
      }
      #expect(try await program.post("/api/v1/funnel", "{}").status == 404)
      #expect(try folder.names.filter { !$0.hasPrefix("errors-") } == before.filter { !$0.hasPrefix("errors-") })
      let metrics = try await program.get("/metrics").body
      #expect(metrics.contains(#"status="400"} "#) && metrics.contains("tollgate_http_request_duration_seconds_count "))
      #expect(try await program.get("/healthz").body == "ok\n")
    }
  }

  @Test func aTokenIsAskedForWhereOneIsSet() async throws {
    try await Self.serving(environment: ["TOLLGATE_TOKEN": "s3cret"]) { _, program in
      #expect(try await program.get("/healthz").status == 200)
      let basic = { (pair: String) in ["Authorization": "Basic \(Data(pair.utf8).base64EncodedString())"] }
      for path in ["/", "/reports/funnel", "/api/v1/funnel", "/metrics", "/nothing"] {
        let answer = try await program.get(path)
        #expect(answer.status == 401 && answer.headers["www-authenticate"]?.hasPrefix("Basic ") == true, "\(path)")
        #expect(try await program.get(path, headers: ["Authorization": "Bearer other"]).status == 401)
        #expect(try await program.get(path, headers: basic("s3cret:other")).status == 401)
      }
      #expect(try await program.get("/api/v1/funnel", headers: ["Authorization": "Bearer s3cret"]).status == 200)
      #expect(try await program.get("/reports/funnel", headers: basic("anybody:s3cret")).status == 200)
    }
  }

  /// A page on another site whose name resolves to this machine gets nothing (DNS rebinding).
  @Test func otherNamesOfThisMachineAreRefused() async throws {
    try await Self.serving { _, program in
      for host in ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "localhost.evil.example", ""] {
        let answer = try await program.get("/api/v1/funnel", headers: ["Host": host])
        #expect(answer.status == 421, "\(host)")
      }
      for host in ["localhost", "LOCALHOST:99", "127.0.0.1", "[::1]:8000"] {
        let answer = try await program.get("/api/v1/funnel", headers: ["Host": host])
        #expect(answer.status == 200, "\(host)")
      }
    }
  }
}

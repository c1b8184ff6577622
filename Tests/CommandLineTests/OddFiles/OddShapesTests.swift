import Foundation
import Testing

/// Exports whose ids, empty cells, headers, columns of variants, tables or words are unusual.
@Suite struct OddShapesTests {
  private static let head = "id,timestamp,user_id,event,variant,product_id,price,currency"

  /// Visitors without an id of their own are told apart by their anonymous ids, which a purchase joins: 3 users, 2 of them
  /// pay. a4's view is too late to count.
  @Test(arguments: ["0", "NULL", "00000000-0000-0000-0000-000000000000", "undefined"])
  func anIDThatStandsForNoneIsNone(id: String) throws {
    let lines = [
      "id,timestamp,anonymous_id,user_id,event,variant,product_id,price,currency",
      "1,2026-01-05T08:00:00Z,a1,\(id),paywall_viewed,a,,,",
      "2,2026-01-05T08:05:00Z,a1,u1,subscription_started,,pro_monthly,9.99,USD",
      "3,2026-01-06T08:00:00Z,a2,\(id),paywall_viewed,b,,,",
      "4,2026-01-06T08:05:00Z,a2,u2,subscription_started,,pro_monthly,9.99,USD",
      "5,2026-01-07T08:00:00Z,a3,\(id),paywall_viewed,a,,,", "6,2026-02-28T08:00:00Z,a4,\(id),paywall_viewed,b,,,",
    ]
    let found = try OddFile(lines).read()
    #expect(found.funnel == [3, 0, 0, 2, 2] && found.said.contains("0 rejected"), "\(found)")
    // Without another id, nobody is made up: the records are rejected, and that is said.
    let alone = try OddFile(lines.map { $0.replacing(/a\d,/, with: ",") }).read()
    #expect(alone.said.contains("placeholder:user_id"), "\(alone.said)")
  }

  /// u1 sees variant a and pays 9.99; u2's view is too late.
  @Test(arguments: ["NULL", "null", "\\N", "NaN", "nan", "None", "<NA>", "NaT"])
  func aTextForNoValueIsNone(text: String) throws {
    let lines = [
      Self.head, "1,2026-01-05T08:00:00Z,u1,paywall_viewed,a,\(text),\(text),\(text)",
      "2,2026-01-05T08:05:00Z,u1,subscription_started,\(text),pro_monthly,9.99,USD",
      "3,2026-02-28T08:00:00Z,u2,paywall_viewed,b,\(text),\(text),\(text)",
    ]
    let found = try OddFile(lines).read()
    #expect(found.funnel == [1, 0, 0, 1, 1] && found.gross == "9.99" && found.said.contains("0 rejected"), "\(found)")
    #expect(found.said.contains(" 0 left out"), "\(found.said)")
  }

  /// A comma at the end of each line, and the index of a data frame before it, make an empty name in the header.
  @Test func aHeaderMayHaveAnEmptyName() throws {
    let lines = [
      Self.head, OddFile.view("u1", day: 5, "a,,,"),
      OddFile.event("subscription_started", "u1", day: 5, ",pro_monthly,9.99,USD"), OddFile.last("b,,,"),
    ]
    #expect(try OddFile(lines.map { $0 + "," }).read().funnel == [1, 0, 0, 1, 1])
    let indexed = lines.enumerated().map { place, line in (place == 0 ? "," : "\(place - 1),") + line }
    #expect(try OddFile(indexed).read().funnel == [1, 0, 0, 1, 1])
  }

  /// Of two columns of one name the last is read, which is said.
  @Test func aNameOfTwoColumnsIsSaid() throws {
    let lines = [
      Self.head + ",price", OddFile.view("u1", day: 5, "a,,,,"),
      OddFile.event("subscription_started", "u1", day: 5, ",pro_monthly,9.99,USD,8.99"), OddFile.last("b,,,,"),
    ]
    let found = try OddFile(lines).read()
    #expect(found.gross == "8.99" && found.said.contains("! price is the name of 2 columns"), "\(found)")
  }

  /// Lines that spreadsheets and exports put before the header.
  @Test(arguments: [["sep=,"], ["# exported by acme", "# 2026-05-26"]])
  func linesBeforeTheHeaderAreSkipped(lines: [String]) throws {
    let table = [
      Self.head, OddFile.view("u1", day: 5, "a,,,"),
      OddFile.event("subscription_started", "u1", day: 5, ",pro_monthly,9.99,USD"), OddFile.last("b,,,"),
    ]
    #expect(try OddFile(lines + table).read().funnel == [1, 0, 0, 1, 1])
  }

  /// The column of the variants is named after the experiment.
  @Test(arguments: ["exp_cta", "$feature/cta", "ab_cta", "flags"])
  func aColumnIsNamedAfterItsExperiment(column: String) throws {
    func cell(_ variant: String) -> String { column == "flags" ? "\"{\"\"cta\"\": \"\"\(variant)\"\"}\"" : variant }
    let lines = [
      "id,timestamp,user_id,event,\(column)", OddFile.view("u1", day: 5, cell("control")),
      OddFile.view("u2", day: 6, cell("big_button")), OddFile.last(cell("control")),
    ]
    try Folder.with { folder in
      try folder.write(lines.joined(separator: "\n") + "\n", to: "data.csv")
      let result = try folder.run("init", "--yes", "--app", "acme", "--store", "t.db", "data.csv")
      #expect(result.status == 0, "\(result)")
      let funnel = try folder.run("funnel", "--store", "t.db", "--by", "experiment,variant", "--format", "csv")
      #expect(
        funnel.output.contains("acme,cta,big_button,1,") && funnel.output.contains("acme,cta,control,1,"), "\(funnel)")
    }
  }

  /// Two views of a file with a column of variants alone: each has a variant of its own, which is no id.
  @Test func anExperimentMayBeNamedByAnOption() throws {
    let lines = [
      "user,time,event,paywall,variant,placement", "u1,2026-01-05T10:00:00Z,paywall_view,p,a,onboarding",
      "u2,2026-01-05T11:00:00Z,paywall_view,p,b,onboarding",
    ]
    let file = OddFile(lines, "--set", "experiment={value: spring}")
    let (said, table) = try file.reading("funnel", "--by", "experiment,variant", "--format", "csv")
    #expect(table.contains("acme,spring,a,0,") && table.contains("acme,spring,b,0,"), "\(said) \(table)")
    let refused = try OddFile(lines, "--set", "event_id={value: spring}").read()
    #expect(refused.status == 2 && refused.said.contains("must be a value with a path"), "\(refused)")
  }

  /// Users have an address alone, and the products' names tell no plan: u1 and u2 see a paywall, u1 pays.
  @Test func productsWithoutAPlanAreNamed() throws {
    let lines = [
      "Email;Datum;Event;Variant;Product;Amount", "u1@acme.example;05.01.2026 08:00;Paywall Viewed;a;;",
      "u1@acme.example;05.01.2026 08:05;Purchase;a;pro A;9,99 €", "u2@acme.example;06.01.2026 08:00;Paywall Viewed;b;;",
      "u9@acme.example;28.02.2026 08:00;Paywall Viewed;b;;",
    ]
    let found = try OddFile(lines).read()
    #expect(found.said.contains("! the plan of a product is not known"), "\(found.said)")
    let next = "into a new store:\n  tollgate init --yes --force --store new.db --plan 'pro A=PLAN' "
    #expect(found.said.contains(next), "\(found.said)")
    let told = try OddFile(lines, "--plan", "pro A=monthly", "--history", "complete").read()
    #expect(told.funnel == [2, 0, 0, 1, 1] && told.gross == "9.99", "\(told)")
  }

  /// Of two experiments one is read, and the option for the other is said.
  @Test func otherExperimentsAreSaid() throws {
    let lines = [
      "id,timestamp,user_id,event,exp_cta,exp_price", OddFile.view("u1", day: 5, "control,a"),
      OddFile.view("u2", day: 6, "big_button,b"), OddFile.last("control,a"),
    ]
    let found = try OddFile(lines).read()
    #expect(found.said.contains("! exp_price is read") || found.said.contains("! exp_cta is read"), "\(found.said)")
    let other = try OddFile(lines, "--set", "variant=exp_price").read()
    #expect(other.said.contains("variant   exp_price") || other.said.contains("exp_price"), "\(other.said)")
  }

  /// One row per user with several times: 3 users, u1 pays 7 days after a trial, u2 directly.
  @Test func aRowPerUserHasSeveralEvents() throws {
    let lines = [
      "user_id,variant,paywall_viewed_at,trial_started_at,paid_at,product_id,price,currency",
      "u1,a,2026-01-05T08:00:00Z,2026-01-05T08:05:00Z,2026-01-12T08:05:00Z,pro_monthly,9.99,USD",
      "u2,b,2026-01-06T08:00:00Z,,2026-01-06T08:05:00Z,pro_monthly,9.99,USD", "u3,a,2026-01-07T08:00:00Z,,,,,",
      "u9,b,2026-02-28T08:00:00Z,,,,,",
    ]
    let found = try OddFile(lines, "--set", "trial_days=7").read()
    #expect(found.funnel == [3, 1, 1, 1, 2] && found.gross == "19.98", "\(found)")
    let unsaid = try OddFile(lines).read()
    #expect(unsaid.said.contains("! trial_started_at (1 record): left out"), "\(unsaid.said)")
  }

  /// Names of columns and events in German, French and Spanish: u1 pays 9.99 after a trial of 7 days, u2 directly.
  @Test(arguments: [
    [
      "Ereignis-ID;Nutzer-ID;Zeitpunkt;Ereignis;Produkt;Preis;Währung;Testtage", "Paywall angezeigt",
      "Testphase gestartet",
      "Abo abgeschlossen", "Abo verlängert",
    ],
    [
      "id;Identifiant utilisateur;Horodatage;Événement;Produit;Prix;Devise;Durée de l'essai", "Paywall affiché",
      "Essai gratuit commencé", "Abonnement acheté", "Abonnement renouvelé",
    ],
    [
      "id;usuario;fecha_hora;evento;producto;importe;moneda;dias_prueba", "Pantalla de pago vista",
      "Prueba gratuita iniciada", "Suscripción iniciada", "Suscripción renovada",
    ],
  ])
  func wordsOfOtherLanguagesAreKnown(words: [String]) throws {
    let lines = [
      words[0], "1;u1;05.01.2026 08:00;\(words[1]);;;;", "2;u1;05.01.2026 08:05;\(words[2]);pro_monthly;;;7",
      "3;u1;12.01.2026 08:05;\(words[3]);pro_monthly;9,99;EUR;", "4;u2;06.01.2026 08:00;\(words[1]);;;;",
      "5;u2;06.01.2026 08:05;\(words[3]);pro_monthly;9,99;EUR;",
      "6;u2;06.02.2026 08:05;\(words[4]);pro_monthly;9,99;EUR;",
      "7;u9;28.02.2026 08:00;\(words[1]);;;;",
    ]
    let found = try OddFile(lines).read()
    #expect(found.funnel == [2, 1, 1, 1, 2] && found.gross == "29.97", "\(found)")
  }

  /// A tap on a button that cancels is no cancellation, and a failed purchase is not offered as one.
  @Test func namesThatLookLikeOthersAreLeft() throws {
    let lines = [
      Self.head, OddFile.view("u1", day: 5, "a,,,"),
      OddFile.event("cancel_subscription_tapped", "u1", day: 6, ",,,"),
      OddFile.event("purchase_failed", "u1", day: 7, ",pro_monthly,9.99,USD"), OddFile.last("b,,,"),
    ]
    let found = try OddFile(lines).read()
    #expect(found.said.contains("cancel_subscription_tapped (1): left out"), "\(found.said)")
    #expect(!found.said.contains("purchase_failed=conversion"), "\(found.said)")
  }

  /// Users of purchases who never saw a paywall: their ids are written otherwise.
  @Test func idsThatDoNotMeetAreSaid() throws {
    let lines = [
      Self.head, OddFile.view("100200", day: 5, "a,,,"),
      OddFile.event("subscription_started", "100200.0", day: 5, ",pro_monthly,9.99,USD"), OddFile.last("b,,,"),
    ]
    let found = try OddFile(lines).read()
    #expect(found.said.contains("! 1 of 1 purchases have no paywall view of the same user"), "\(found.said)")
  }

  /// Times in a form that is not known need a pattern, and that is said; a header alone is said, too.
  @Test func unknownFormsOfTimesAreSaid() throws {
    let lines = [
      Self.head, "1,20260105-080000,u1,paywall_viewed,a,,,",
      "2,20260105-080500,u1,subscription_started,,pro_monthly,9.99,USD", "3,20260228-080000,u9,paywall_viewed,b,,,",
    ]
    let unread = try OddFile(lines).read()
    #expect(unread.status == 2 && unread.said.contains("the form of 20260105-080000 is not known"), "\(unread)")
    let read = try OddFile(lines, "--dates", "yyyyMMdd-HHmmss").read()
    #expect(read.funnel == [1, 0, 0, 1, 1], "\(read)")
    let serial = try OddFile([Self.head, "1,46027.3333,u1,paywall_viewed,a,,,"]).read()
    // 0.3333 of a day is 28,797.12 s.
    #expect(serial.said.contains("2026-01-05T07:59:57.120Z"), "\(serial)")
    #expect(try OddFile([Self.head]).read().said.contains("has only a header"))
    let days = [Self.head, "1,01/05/2026 08:00,u1,paywall_viewed,a,,,", "2,02/05/2026 08:00,u2,paywall_viewed,a,,,"]
    #expect(try OddFile(days).read().said.contains("! day and month of dates such as 01/05/2026 08:00 cannot be told"))
  }

  /// Paths with `=`, with an index and with a quote.
  @Test func pathsOfSetAreTakenAsTheyAre() throws {
    let records = [
      #"{"id":"1","at":"2026-01-05T08:00:00Z","who":"u1","event":"paywall_viewed"}"#,
      #"{"id":"2","at":"2026-01-05T08:05:00Z","who":"u1","event":"subscription_started","items":[{"sku":"pro_monthly"}],"params":[{"key":"paid","value":9.99}],"currency":"USD"}"#,
      #"{"id":"3","at":"2026-02-28T08:00:00Z","who":"u9","event":"paywall_viewed"}"#,
    ]
    let found = try OddFile(
      records, "--set", "product_id=items[0].sku", "--set", "price=params[key=paid].value", name: "data.ndjson"
    ).read()
    #expect(found.funnel == [1, 0, 0, 1, 1] && found.gross == "9.99", "\(found)")
    let quoted = [
      Self.head + ",l'essai", OddFile.view("u1", day: 5, "a,,,,"),
      OddFile.event("trial_started", "u1", day: 5, ",pro_monthly,,,7"), OddFile.last("b,,,,"),
    ]
    #expect(try OddFile(quoted, "--set", "trial_days=l'essai").read().funnel == [1, 1, 0, 0, 0])
  }

  /// Files of a folder that hold no records are left out with a line; one that is named is refused.
  @Test func filesWithoutRecordsAreLeftOut() throws {
    try Folder.with { folder in
      try FileManager.default.createDirectory(atPath: folder.path("data"), withIntermediateDirectories: true)
      let lines = [Self.head, OddFile.view("u1", day: 5, "a,,,"), OddFile.last("b,,,")]
      try folder.write(lines.joined(separator: "\n") + "\n", to: "data/events.csv")
      try folder.write("This folder holds the export.\nIt was made by us, with care.\nBye\n", to: "data/README.txt")
      try Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]).write(
        to: folder.url.appendingPathComponent("data/a.png"))
      let result = try folder.run("init", "--yes", "--app", "acme", "--store", "t.db", "data")
      #expect(result.status == 0 && result.output.contains("2 events, 0 duplicates, 0 rejected"), "\(result)")
      #expect(
        result.errors.contains("data/README.txt: left out") && result.errors.contains("a.png: left out: is a picture"))
      let named = try folder.run("init", "--yes", "--app", "acme", "--store", "t.db", "data/a.png")
      #expect(named.status == 3 && named.errors.contains("is a picture"), "\(named)")
    }
  }
}

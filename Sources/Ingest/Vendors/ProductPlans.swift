internal import EventModel

/// Finds the plan of a product, which vendors do not send: from the user's settings, else the product's name, else the
/// length of a paid period.
final class ProductPlans {
  private let given: [String: Plan]
  private var known: [String: Plan?] = [:]

  init(_ settings: SourceSettings) { given = settings.plans.compactMapValues { Plan(name: $0) } }

  func given(for product: String) -> Plan? { given[product] }

  /// - Parameters:
  ///   - duration: ISO 8601, such as `P1M`.
  ///   - period: The paid period in milliseconds; leave it out for free trials and introductory prices, which say
  ///     nothing about it.
  /// - Returns: `nil` if nothing shows the plan.
  func plan(of product: String, duration: String? = nil, period: Int64? = nil) -> Plan? {
    if let plan = given[product] { return plan }
    if let plan = duration.flatMap(Self.plan(duration:)) { return plan }
    if let known = known[product] { return known ?? period.flatMap(Self.plan(period:)) }
    let named = Self.plan(name: product)
    if known.count > 100_000 { known.removeAll() }
    known[product] = .some(named)
    return named ?? period.flatMap(Self.plan(period:))
  }

  static func plan(duration: String) -> Plan? {
    switch duration.uppercased() {
    case "P1W", "P7D": .weekly
    case "P1M", "P4W", "P30D": .monthly
    case "P2M": .twoMonth
    case "P3M", "P90D": .quarterly
    case "P6M": .semiannual
    case "P1Y", "P12M", "P365D": .yearly
    default: nil
    }
  }

  /// Returns the plan with that calendar length, give or take about a day.
  static func plan(period: Int64) -> Plan? {
    switch Double(period) / Double(Instant.millisecondsPerDay) {
    case 6.5...7.5: .weekly
    case 27...32: .monthly
    case 58...63: .twoMonth
    case 88...93: .quarterly
    case 180...185: .semiannual
    case 364...367: .yearly
    default: nil
    }
  }

  /// Returns the plan with the nearest length, for grants, on which no money depends.
  static func nearest(period: Int64?) -> Plan {
    guard let period else { return .lifetime }
    switch period / Instant.millisecondsPerDay {
    case ..<19: return .weekly
    case ..<46: return .monthly
    case ..<76: return .twoMonth
    case ..<137: return .quarterly
    case ..<274: return .semiannual
    case ..<1_000: return .yearly
    default: return .lifetime
    }
  }

  /// Returns the only plan that a product's name mentions, ignoring the length of a trial.
  static func plan(name: String) -> Plan? {
    var found: Set<Plan> = []
    let words = words(of: name)
    var place = 0
    while place < words.count {
      let (plan, length) = plan(at: place, of: words)
      if let plan, !isOfTrial(place, length, words) { found.insert(plan) }
      place += max(1, length)
    }
    return found.count == 1 ? found.first : nil
  }

  /// Returns whether the words are the length of a trial, as in `7day_trial`, `week_free_trial` and `trial_7d`.
  private static func isOfTrial(_ place: Int, _ length: Int, _ words: [String]) -> Bool {
    let after = words.dropFirst(place + length).first { $0 != "free" && $0 != "intro" }
    return after?.hasPrefix("trial") == true || (length == 2 && place > 0 && words[place - 1].hasPrefix("trial"))
  }

  private static func plan(at place: Int, of words: [String]) -> (Plan?, length: Int) {
    let word = words[place]
    if let count = number(word), place + 1 < words.count, let unit = unit(words[place + 1]) {
      return (plan(count, unit), 2)
    }
    switch word {
    case "weekly", "week", "wk", "hebdomadaire", "semanal", "settimanale", "wekelijks": return (.weekly, 1)
    case "monthly", "month", "mo", "mth", "mnth", "mensile", "maandelijks": return (.monthly, 1)
    case "bimonthly": return (.twoMonth, 1)
    case "quarterly", "quarter": return (.quarterly, 1)
    case "mois", "mes", "mese": return (.monthly, 1)
    case "anual", "jaarlijks", "annee", "ano", "anno", "aar": return (.yearly, 1)
    case "vitalicio", "lebenslang": return (.lifetime, 1)
    case _ where foreign[word] != nil: return (foreign[word], 1)
    case "semiannual", "semiannually", "semesterly", "biannual", "halfyear", "halfyearly": return (.semiannual, 1)
    case "semi" where place + 1 < words.count && words[place + 1].hasPrefix("annual"),
      "half" where place + 1 < words.count && words[place + 1].hasPrefix("year"):
      return (.semiannual, 2)
    case "yearly", "year", "annual", "annually", "yr": return (.yearly, 1)
    case "lifetime", "forever": return (.lifetime, 1)
    default: return (nil, 1)
    }
  }

  private static func number(_ word: String) -> Int? {
    if let number = Int(word) { return number }
    return ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
      .firstIndex(of: word).map { $0 + 1 }
  }

  private static func unit(_ word: String) -> Character? {
    switch word {
    case "d", "day", "days": "d"
    case "w", "wk", "week", "weeks", "woche", "semaine", "semaines", "semana", "semanas", "週": "w"
    case "m", "mo", "mth", "month", "months", "monat", "monate", "mois", "mes", "meses", "mese", "mesi", "か月", "ヶ月": "m"
    case "y", "yr", "year", "years", "jahr", "jahre", "an", "ans", "ano", "anos", "anno", "anni", "年": "y"
    default: nil
    }
  }

  /// Returns the plan of so many days, weeks, months or years, by the last word of a column's name.
  static func plan(count: String, of column: String) -> Plan? {
    guard let count = Int(count), let unit = NameWords.words(of: column).last.flatMap(unit) else { return nil }
    return unit == "d" ? plan(period: Int64(count) * Instant.millisecondsPerDay) : plan(count, unit)
  }

  private static func plan(_ count: Int, _ unit: Character) -> Plan? {
    switch (count, unit) {
    case (1, "w"), (7, "d"): .weekly
    case (1, "m"), (30, "d"), (4, "w"): .monthly
    case (2, "m"): .twoMonth
    case (3, "m"), (90, "d"): .quarterly
    case (6, "m"): .semiannual
    case (12, "m"), (1, "y"), (365, "d"), (52, "w"): .yearly
    default: nil
    }
  }

  /// Returns the lower-cased runs of letters and of digits. Splits between a small and a capital letter, and before a
  /// plan's name in joined words such as `premiummonthly`.
  private static func words(of name: String) -> [String] {
    var words: [String] = []
    var word = ""
    var last: Character = "."
    func kind(_ character: Character) -> Int { character.isLetter ? 1 : character.isNumber ? 2 : 0 }
    for character in name {
      let isCut = kind(character) != kind(last) || (character.isUppercase && last.isLowercase)
      if isCut, !word.isEmpty {
        words.append(word)
        word = ""
      }
      if kind(character) != 0 { word += character.lowercased() }
      last = character
    }
    if !word.isEmpty { words.append(word) }
    return words.flatMap { parts(of: $0 == "år" ? "aar" : ForeignWords.withoutMarks($0)) }
  }

  /// Plans by parts of words in the languages of `ForeignWords`.
  private static let foreign: [String: Plan] = [
    "monat": .monthly, "jahr": .yearly, "wochen": .weekly, "wochentlich": .weekly, "monats": .monthly,
    "monatlich": .monthly, "mensuel": .monthly,
    "mensual": .monthly, "mensal": .monthly, "trimestr": .quarterly, "vierteljahr": .quarterly, "semestr": .semiannual,
    "halbjahr": .semiannual, "jahres": .yearly, "jahrlich": .yearly, "jaehrlich": .yearly, "annuel": .yearly,
    "月額": .monthly, "月間": .monthly, "月払い": .monthly, "年額": .yearly, "年間": .yearly, "年払い": .yearly, "週間": .weekly,
    "買い切り": .lifetime,
    "semanal": .weekly, "hebdo": .weekly, "mensil": .monthly, "settiman": .weekly, "maand": .monthly, "jaar": .yearly,
    "halfjaar": .semiannual, "kwartaal": .quarterly, "manad": .monthly, "arsabo": .yearly, "arlig": .yearly,
    "miesiecz": .monthly, "roczn": .yearly, "polroczn": .semiannual, "tygodni": .weekly,
    "aylik": .monthly, "yillik": .yearly, "haftalik": .weekly, "월간": .monthly, "월정액": .monthly, "연간": .yearly,
    "연정액": .yearly,
    "maaned": .monthly, "maned": .monthly, "aarsabo": .yearly, "aarlig": .yearly, "kuukausi": .monthly,
    "vuosi": .yearly, "mesicni": .monthly, "rocni": .yearly, "bulanan": .monthly, "tahunan": .yearly,
    "месяч": .monthly, "годов": .yearly, "月度": .monthly, "包月": .monthly, "月卡": .monthly, "年度": .yearly, "包年": .yearly,
    "年卡": .yearly,
  ]

  /// Parts of joined words, those that hold another one first.
  private static let stems =
    ["vierteljahr", "halbjahr", "polroczn", "halfjaar"] + foreign.keys.sorted() + [
      "semiannual", "halfyear", "biannual", "annually", "annual", "yearly", "year", "quarterly", "quarter", "bimonthly",
      "monthly", "months", "month", "weekly", "weeks", "week", "lifetime",
    ]

  private static func parts(of word: String) -> [String] {
    if stems.contains(word) { return [word] }
    for stem in stems {
      guard let first = stem.utf8.first, first >= 0x80 || word.utf8.contains(first),
        let range = word.firstRange(of: stem)
      else { continue }
      return [String(word[..<range.lowerBound]), stem, String(word[range.upperBound...])].filter { !$0.isEmpty }
        .flatMap { $0 == stem ? [$0] : parts(of: $0) }
    }
    return [word]
  }
}

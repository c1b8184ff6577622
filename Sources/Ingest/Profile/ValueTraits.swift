internal import Basics
internal import EventModel

/// The types that a value may be read as.
struct ValueTraits {
  var type: ColumnProfile.ValueType = .text
  var milliseconds: Int64?
  var isInstant: Bool { milliseconds != nil }
  var epoch: MappedTime.Epoch?
  var isDayFirst = false
  var isMonthFirst = false
  var hasOffset = true
  var isNumber = false
  var isDecimalComma = false
  /// Whether commas part its thousands.
  var isGrouped = false
  /// Whether a currency's sign or code stands before or behind the number.
  var hasCurrency = false
  /// Whether it is a time without a day, such as `14:05:09`.
  var isTimeOfDay = false
  var hasPoint = false
  /// Whether points part its thousands, if commas are decimal: `1.199`.
  var hasPointGroups = false
  var isNegative = false

  /// - Parameter dates: The pattern of times, if one is given.
  init(_ value: JSONNode, _ text: String, _ dates: DateForm? = nil) {
    if case .pattern? = dates, let time = dates?.instant(text) {
      set(time)
      return
    }
    switch value {
    case .array:
      type = .list
      if let time = value.instantOfParts { set((time, false)) }
    case .object: type = .object
    case .bool: type = .flag
    default:
      if let number = ExactDecimal(text) {
        isNumber = true
        isNegative = number.isNegative
        hasPoint = text.contains(".")
        hasPointGroups = hasPoint && ExactDecimal.isGrouped(text.replacing(".", with: ","))
        type = hasPoint ? .decimal : .whole
        let guess = MappedTime.Epoch.guessed(of: value.double ?? 0)
        if let time = number.shifted(by: guess.power).integer, Instant(millisecondsSince1970: time).isInRangeOfEvents {
          milliseconds = time
          epoch = guess
        } else if let time = dates?.instant(text) {
          (milliseconds, hasOffset) = time
        }
        return
      }
      guard case .string = value else { return }
      if value.flag != nil { type = .flag }
      guard text.utf8.contains(where: { $0 &- 0x30 < 10 }) else { return }
      if readAmount(text) {
        type = .decimal
        if case .spreadsheet? = dates, let time = dates?.instant(text) { (milliseconds, hasOffset) = time }
        return
      }
      guard text.utf8.count <= 72 else { return }
      if let time = DateForm.instant(ofOneReading: text) {
        set(time)
        return
      }
      isTimeOfDay = DateForm.isTimeOfDay(text)
      let day = DateForm.dayFirst.instant(text)
      let month = DateForm.monthFirst.instant(text)
      isDayFirst = day != nil
      isMonthFirst = month != nil
      if let time = day ?? month { set(time) }
    }
  }

  private mutating func set(_ time: (milliseconds: Int64, hasOffset: Bool)) {
    if Instant(millisecondsSince1970: time.milliseconds).isInRangeOfEvents { milliseconds = time.milliseconds }
    hasOffset = time.hasOffset
    type = .instant
  }

  /// Reads an amount with a decimal comma, thousands in groups or a currency's sign.
  ///
  /// - Returns: Whether the text is one.
  private mutating func readAmount(_ text: String) -> Bool {
    // A currency is written with three letters at most, and times have colons.
    if text.utf8.count(where: { ($0 | 0x20) &- 0x61 < 26 }) > 3 || text.utf8.contains(UInt8(ascii: ":")) {
      return false
    }
    let plain = ExactDecimal.withoutCurrency(text)
    hasCurrency = plain.utf8.count < text.utf8.count
    let bare = ExactDecimal.withoutGroups(plain)
    let hasGroups = bare.utf8.count < plain.utf8.count
    isDecimalComma = ExactDecimal.isDecimalComma(bare)
    isNumber = (hasCurrency || hasGroups) && ExactDecimal(bare) != nil
    isGrouped = ExactDecimal.isGrouped(bare) || hasGroups && isNumber
    if isDecimalComma || isGrouped || isNumber {
      hasPoint = (isGrouped || isNumber) && bare.contains(".")
      hasPointGroups = hasPoint && ExactDecimal.isGrouped(bare.replacing(".", with: ","))
      isNegative = bare.hasPrefix("-")
      return true
    }
    hasCurrency = false
    return false
  }
}

/// The numbers of a column's values by what they may be read as.
struct ValueSigns {
  private(set) var instants = 0
  private(set) var epochs: [MappedTime.Epoch: Int] = [:]
  private(set) var dayFirst = 0
  private(set) var monthFirst = 0
  private(set) var withoutOffset = 0
  private(set) var numbers = 0
  private(set) var decimalCommas = 0
  /// Those of them that may be groups of thousands as well: `1,199`.
  private(set) var commaGroups = 0
  private(set) var grouped = 0
  private(set) var currencies = 0
  private(set) var timesOfDay = 0
  private(set) var points = 0
  private(set) var pointGroups = 0
  private(set) var negatives = 0

  /// Whether its instants are dates of numbers with the year last, whose day or month may be first.
  var isOfNumericDates: Bool { dayFirst + monthFirst > 0 && max(dayFirst, monthFirst) == instants }

  mutating func add(_ traits: ValueTraits) {
    if traits.isInstant { instants += 1 }
    if let epoch = traits.epoch { epochs[epoch, default: 0] += 1 }
    if traits.isDayFirst { dayFirst += 1 }
    if traits.isMonthFirst { monthFirst += 1 }
    if !traits.hasOffset { withoutOffset += 1 }
    if traits.isNumber || traits.isGrouped && !traits.isDecimalComma { numbers += 1 }
    if traits.isDecimalComma { decimalCommas += 1 }
    if traits.isDecimalComma, traits.isGrouped { commaGroups += 1 }
    if traits.isGrouped { grouped += 1 }
    if traits.hasCurrency { currencies += 1 }
    if traits.isTimeOfDay { timesOfDay += 1 }
    if traits.hasPoint { points += 1 }
    if traits.hasPointGroups { pointGroups += 1 }
    if traits.isNegative { negatives += 1 }
  }
}

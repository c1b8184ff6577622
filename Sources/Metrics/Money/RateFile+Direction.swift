public import Basics
public import EventModel
internal import Foundation

extension RateFile {
  /// The number of rates on the nearest days that a rate is compared with, and their greatest distance in days.
  private static let neighbours = 15
  private static let mostDays = 366

  /// Checks that the rates of a CSV are US dollars per unit, and not units per US dollar.
  ///
  /// A rate is refused if it is over twice or under half the median of the nearest rates of its currency, and its inverse
  /// is within 20% of that median. An inverted rate of a currency near one dollar cannot be told from a move. Rates of the
  /// store come before those of the file, because a whole file may be inverted.
  ///
  /// - Parameters:
  ///   - first: Rates of earlier days are not checked.
  ///   - known: The rates in the store.
  /// - Throws: ``ImportFaults`` with all of them.
  public static func requireDollarsPerUnit(
    _ text: String, name: String, from first: CivilDate?, known: [ExchangeRate]
  ) throws(ImportFaults) {
    let lines = try lines(text, name: name).filter { first == nil || $0.rate.date >= first! }
    let knownRates = Dictionary(grouping: known, by: \.currency)
    var faults: [(line: Int, text: String)] = []
    for (currency, lines) in Dictionary(grouping: lines, by: \.rate.currency) where currency != "USD" {
      let days = Set(lines.map(\.rate.date))
      let stored = sorted((knownRates[currency] ?? []).filter { !days.contains($0.date) })
      let own = sorted(lines.map(\.rate))
      for (line, rate) in lines {
        let day = rate.date.daysSince1970
        let ofStore = median(near: day, in: stored)
        guard let reference = ofStore ?? median(near: day, in: own) else { continue }
        let value = number(rate)
        let (distance, ofInverse) = (abs(log(value / reference)), abs(log(value * reference)))
        guard distance > log(2), ofInverse <= log(1.2) else { continue }
        let place = ofStore == nil ? "" : " in the store"
        let hint = ofStore == nil ? "" : "; if the store is wrong, import its days again first"
        let text =
          "\(name):\(line): \(currency) of \(rate.date) is \(rate.usdPerUnit), but \(self.text(of: reference)) on days near it\(place): "
          + "it seems to be \(currency) per US dollar. Write US dollars per \(currency), here \(self.text(of: 1 / value))\(hint)"
        faults.append((line, text))
      }
    }
    if !faults.isEmpty { throw ImportFaults(lines: faults.sorted { $0.line < $1.line }.map(\.text)) }
  }

  private typealias Dated = (day: Int, value: Double)

  private static func sorted(_ rates: [ExchangeRate]) -> [Dated] {
    rates.map { ($0.date.daysSince1970, number($0)) }.sorted { $0.day < $1.day }
  }

  private static func number(_ rate: ExchangeRate) -> Double {
    Double(rate.usdPerUnit.digits) / pow(10, Double(rate.usdPerUnit.decimals))
  }

  /// Returns the median of the rates on the days nearest to one, without that day's own; `nil` if there are none.
  private static func median(near day: Int, in rates: [Dated]) -> Double? {
    var (low, high) = (0, rates.count)
    while low < high {
      let middle = (low + high) / 2
      if rates[middle].day < day { low = middle + 1 } else { high = middle }
    }
    let around = rates[max(0, low - neighbours)..<min(rates.count, low + neighbours + 1)]
    let near = around.filter { $0.day != day && abs($0.day - day) <= mostDays }
      .sorted { (abs($0.day - day), $0.day) < (abs($1.day - day), $1.day) }.prefix(neighbours).map(\.value).sorted()
    return near.isEmpty ? nil : near[near.count / 2]
  }

  private static func text(of rate: Double) -> String { String(format: "%.5g", rate) }
}

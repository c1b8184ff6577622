internal import Basics
internal import EventModel

/// A refund in the record of its payment.
struct OwnRefund {
  /// As a condition of a mapping.
  var condition: String
  /// The column of the amount; `nil` for the whole price.
  var amount: Int?
  /// The column of its time; `nil` for that of the payment.
  var time: Int?
}

/// Finds refunds in the records of their payments.
extension Proposer {
  static let refundStates: Set<String> = ["refunded", "fully_refunded"]
  private static let partialStates: Set<String> = ["partially_refunded", "partial_refund", "partly_refunded"]

  /// Returns whether a flag such as `refunded` says that its payment was given back later; one such as `is_refund` is
  /// of a refund's own record, and so is one of negative amounts.
  func saysPaymentWasRefunded(_ place: Int) -> Bool {
    guard words(place).contains("refunded") else { return false }
    let rows = columns[place].rows(with: columns[place].codes { Self.truths.contains($0.lowercased()) })
    return !columns.contains { column in
      column.signs.negatives > 0
        && !rows.isDisjoint(with: column.rows(with: column.codes { $0.hasPrefix("-") || $0.hasPrefix("(") }))
    }
  }

  /// Finds the refunds in the records of payments: by an amount, else by a flag or a state.
  mutating func findOwnRefunds() {
    let kinds = recordKinds()
    guard moments.isEmpty, refunds == nil, !kinds.contains(.refund),
      kinds.contains(where: { $0.map(Self.paid.contains) ?? false })
    else { return }
    func isInSomePayments(_ isMeant: (String) -> Bool, _ place: Int) -> Bool {
      let (count, all) = (
        rows(place, of: Self.paid, isMeant).count, kinds.count { $0.map(Self.paid.contains) ?? false }
      )
      return count > 0 && count < all
    }
    let isAmount: (String) -> Bool = { text in JSONNode.string(text).double.map { $0 > 0 } ?? false }
    var found: OwnRefund?
    if let amount = refundedAmount, isInSomePayments(isAmount, amount) {
      found = OwnRefund(condition: "{\(Self.quoted(columns[amount].path)): {gt: 0}}", amount: amount)
    }
    for place in columns.indices where found == nil {
      let column = columns[place]
      if Self.isFlag(column), saysPaymentWasRefunded(place) {
        let isTrue: (String) -> Bool = { Self.truths.contains($0.lowercased()) }
        guard isInSomePayments(isTrue, place), let truth = column.values.first(where: { isTrue($0.text) })?.text else {
          continue
        }
        found = OwnRefund(condition: "{\(Self.quoted(column.path)): \(Self.quoted(truth))}")
      } else if FieldSynonyms.isState(column.path), place != chosen[.event]?.column {
        func state(_ text: String) -> String { NameWords.words(of: text).joined(separator: "_") }
        let texts = column.values.map(\.text).filter { Self.refundStates.contains(state($0)) }
        guard !texts.isEmpty, isInSomePayments({ texts.contains($0) }, place) else { continue }
        found = OwnRefund(
          condition: "{\(Self.quoted(column.path)): [\(texts.map(Self.quoted).joined(separator: ", "))]}")
        let partial = column.values.filter { Self.partialStates.contains(state($0.text)) }
        if !partial.isEmpty {
          proposal.warnings.append(
            "\(column.path): \(Self.records(partial.reduce(0) { $0 + $1.count })) with \(partial[0].text) count as paid in "
              + "full, because no column says how much was given back")
        }
      }
    }
    guard var found else { return }
    found.time = columns.indices.first { place in
      words(place).contains("refunded") && columns[place].isOfTimes
    }
    ownRefund = found
    proposal.notes.append(
      found.time.map { "refunds are read from the records of their payments, at \(columns[$0].path)" }
        ?? "refunds are read from the records of their payments, and count at the time of the payment, as no column has theirs"
    )
  }

  /// Returns the rule of the refunds in the records of payments.
  ///
  /// - Parameter failed: Conditions of records that are not payments.
  func ownRefundRule(_ failed: [String]) -> String? {
    guard let ownRefund else { return nil }
    let conditions = [ownRefund.condition] + failed.map { "{not: \($0)}" }
    let when = conditions.count == 1 ? conditions[0] : "{all: [\(conditions.joined(separator: ", "))]}"
    let time = ownRefund.time.map { ", time: \(timeValue($0))" } ?? ""
    let price = ownRefund.amount.flatMap { fieldValue(.price, $0) }.map { ", fields: {price: \($0)}" } ?? ""
    return "{kind: refund, when: \(when)\(time)\(price)}"
  }
}

internal import EventModel

extension LineDecoder {
  /// Checks the fields in the order of the tables, and then the fields that the kind requires.
  @inline(__always)
  mutating func judge(_ draft: inout EventDraft) -> Rejection? {
    if let rejection = judgeRequired(&draft) { return rejection }

    let required: UInt64 = 0b11111
    var remaining = fields.present & ~required
    while remaining != 0 {
      let field = EventField(rawValue: UInt8(truncatingIfNeeded: remaining.trailingZeroBitCount)).unsafelyUnwrapped
      remaining &= remaining &- 1
      if !take(field, into: &draft) { return .invalid(field) }
    }

    let missing = Self.needs(of: draft.record.kind) & ~fields.present
    if missing != 0 {
      return .missing(EventField(rawValue: UInt8(missing.trailingZeroBitCount)).unsafelyUnwrapped)
    }
    switch draft.record.kind {
    case .trialStart:
      if let rejection = judgeTrial(&draft) { return rejection }
    case .cancellation where draft.terms.reason == 0:
      draft.terms.reason = defaultName("voluntary")
      draft.fold(.reason, UInt64(draft.terms.reason))
    case .identify:
      // Everybody who has such an id would become one user.
      for field in [EventField.userID, .previousUserID] where PlaceholderID.matches(fields[field].bytes) {
        return .placeholder(field)
      }
    default: break
    }
    if let price = draft.terms.price, price > 0, draft.terms.currency == 0 { return .priceWithoutCurrency }
    return nil
  }

  /// Checks `event_id`, `event`, `ts`, `app`, `user_id`.
  @inline(__always)
  private mutating func judgeRequired(_ draft: inout EventDraft) -> Rejection? {
    guard fields.has(.eventID) else { return .missing(.eventID) }
    guard takeIdentifier(.eventID) else { return .invalid(.eventID) }

    guard fields.has(.event) else { return .missing(.event) }
    guard let event = string(.event) else { return .invalid(.event) }
    let code = keywords.kinds.code(event.start, count: Int(event.count))
    guard let kind = EventKind(rawValue: code) else { return .unknownKind }
    draft.record.kind = kind

    guard fields.has(.ts) else { return .missing(.ts) }
    guard let ts = instant(.ts), ts.isInRangeOfEvents else { return .invalid(.ts) }
    draft.record.ts = ts.millisecondsSince1970

    guard fields.has(.app) else { return .missing(.app) }
    guard let app = name(.app) else { return .invalid(.app) }
    draft.client.app = app

    guard fields.has(.userID) else { return .missing(.userID) }
    guard takeIdentifier(.userID) else { return .invalid(.userID) }
    return nil
  }

  private mutating func judgeTrial(_ draft: inout EventDraft) -> Rejection? {
    if !fields.has(.trialDays) && !fields.has(.trialEndsAt) { return .missing(.trialDays) }
    if draft.terms.trialKind == 0 {
      draft.terms.trialKind = defaultName("introductory")
      draft.fold(.trialKind, UInt64(draft.terms.trialKind))
    }
    if draft.terms.plan == nil {
      let isAppTrial = fields.has(.trialKind) && keywords.trialKinds.code(fields[.trialKind]) == 1
      if !isAppTrial { return .missing(.plan) }
    }
    return nil
  }

  /// Returns the fields that the kind requires, one bit each; `trial_start` has further conditions.
  @inline(__always)
  static func needs(of kind: EventKind) -> UInt64 {
    func bits(_ fields: EventField...) -> UInt64 { fields.reduce(0) { $0 | 1 << UInt64($1.rawValue) } }
    switch kind {
    case .exposure: return bits(.experiment, .variant)
    case .paywallImpression, .gateHit: return bits(.entryPoint)
    case .conversion, .renewal, .payment: return bits(.productID, .plan, .price)
    case .planChange: return bits(.productID, .plan)
    case .offerRedemption: return bits(.offerCode)
    case .identify: return bits(.previousUserID)
    case .paywallDismissal, .purchaseStarted, .trialStart, .trialNudge, .restore, .cancellation, .reactivation,
      .billingIssue, .expiration, .refund, .activity:
      return 0
    }
  }

  private mutating func defaultName(_ name: StaticString) -> UInt32 {
    filler.names.intern(UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
  }
}

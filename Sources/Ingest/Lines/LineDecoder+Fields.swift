internal import EventModel

extension LineDecoder {
  /// Copies one optional field into the draft.
  ///
  /// - Returns: Whether its type and range are valid.
  @inline(__always)
  mutating func take(_ field: EventField, into draft: inout EventDraft) -> Bool {
    switch field {
    case .eventID, .event, .ts, .app, .userID: return true

    case .platform: return set(&draft.client.platform, name(field)) != nil
    case .store: return set(&draft.client.store, name(field)) != nil
    case .country: return takeCode(field, letters: 2, &draft.client.country)
    case .appVersion: return set(&draft.client.appVersion, name(field)) != nil
    case .environment: return set(&draft.client.isSandbox, keywords.environments.code(fields[field])) != nil
    case .properties: return takeProperties()

    case .entryPoint: return set(&draft.context.entryPoint, name(field)) != nil
    case .experiment: return set(&draft.context.experiment, name(field)) != nil
    case .variant: return set(&draft.context.variant, name(field)) != nil
    case .paywall: return set(&draft.context.paywall, name(field)) != nil

    case .receivedAt:
      guard let instant = instant(field), instant.isInRangeOfEvents else { return false }
      draft.record.receivedAt = instant.millisecondsSince1970
    case .expiresAt:
      guard let instant = instant(field), instant.millisecondsSince1970 > draft.record.ts else { return false }
      draft.record.expiresAt = instant.millisecondsSince1970
    case .trialEndsAt:
      guard let instant = instant(field) else { return false }
      if draft.record.kind == .trialStart && instant.millisecondsSince1970 <= draft.record.ts { return false }
      draft.record.trialEndsAt = instant.millisecondsSince1970
    case .graceEndsAt:
      guard let instant = instant(field) else { return false }
      draft.record.graceEndsAt = instant.millisecondsSince1970
    case .subscriptionStartedAt:
      guard let instant = instant(field) else { return false }
      draft.record.subscriptionStartedAt = instant.millisecondsSince1970

    case .subscriptionID, .transactionID: return takeIdentifier(field)
    case .previousUserID: return string(field) != nil
    default: return takeTerms(field, into: &draft)
    }
    return true
  }

  /// Copies a field of ``TermsNames``.
  private mutating func takeTerms(_ field: EventField, into draft: inout EventDraft) -> Bool {
    let value: UInt64?
    switch field {
    case .offering: value = set(&draft.terms.offering, name(field))
    case .priceWeekly: value = set(&draft.terms.priceWeekly, price(field))
    case .priceMonthly: value = set(&draft.terms.priceMonthly, price(field))
    case .priceYearly: value = set(&draft.terms.priceYearly, price(field))
    case .priceLifetime: value = set(&draft.terms.priceLifetime, price(field))
    case .tier: value = set(&draft.terms.isFamilyTier, keywords.tiers.code(fields[field]))
    case .productID:
      value = takeIdentifier(field) ? set(&draft.terms.product, name(field)) : nil
    case .plan:
      draft.terms.plan = Plan(rawValue: keywords.plans.code(fields[field]))
      value = draft.terms.plan.map { UInt64($0.rawValue) }
    case .price: value = set(&draft.terms.price, price(field))
    case .currency:
      var number: UInt32 = 0
      value = takeCode(field, letters: 3, &number) ? set(&draft.terms.currency, number) : nil
    case .priceUSD: value = set(&draft.terms.priceUSD, price(field))
    case .taxPercentage: value = set(&draft.terms.taxPercentage, share(field))
    case .commissionPercentage: value = set(&draft.terms.commissionPercentage, share(field))
    case .ownership: value = set(&draft.terms.isFamilyShared, keywords.ownerships.code(fields[field]))
    case .offerType: value = set(&draft.terms.offerType, name(field, of: keywords.offerTypes.code(fields[field])))
    case .offerCode: value = set(&draft.terms.offerCode, name(field))
    case .limitName: value = set(&draft.terms.limitName, name(field))
    case .limit: value = set(&draft.terms.limit, number(field))
    case .used: value = set(&draft.terms.used, number(field))
    case .trialDays: value = set(&draft.terms.trialDays, trialDays(kind: draft.record.kind))
    case .trialKind: value = set(&draft.terms.trialKind, name(field, of: keywords.trialKinds.code(fields[field])))
    case .previousProductID: value = set(&draft.terms.previousProduct, name(field))
    case .reason:
      let isClosed = draft.record.kind == .cancellation || draft.record.kind == .expiration
      let number = isClosed ? name(field, of: keywords.reasons.code(fields[field])) : name(field)
      value = set(&draft.terms.reason, number)
    default: value = nil
    }
    guard let value else { return false }
    draft.fold(field, value)
    return true
  }

  // Each `set` stores a value and returns it as bits for the hash; `nil` stays `nil`.

  @inline(__always)
  private func set(_ place: inout UInt32, _ number: UInt32?) -> UInt64? {
    guard let number else { return nil }
    place = number
    return UInt64(number)
  }

  @inline(__always)
  private func set(_ place: inout Int64?, _ number: Int64?) -> UInt64? {
    place = number
    return number.map { UInt64(bitPattern: $0) }
  }

  @inline(__always)
  private func set(_ place: inout Double?, _ number: Double?) -> UInt64? {
    place = number
    return number.map(\.bitPattern)
  }

  /// Code 0 is the default.
  @inline(__always)
  private func set(_ place: inout Bool, _ code: UInt8) -> UInt64? {
    place = code == 1
    return code == KeywordTable.none ? nil : UInt64(code)
  }

  /// Returns the name's number if its code is in the closed set.
  @inline(__always)
  private mutating func name(_ field: EventField, of code: UInt8) -> UInt32? {
    code == KeywordTable.none ? nil : name(field)
  }
}

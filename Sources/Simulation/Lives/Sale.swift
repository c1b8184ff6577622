/// What a subscription, or a lifetime purchase, begins with.
struct Sale {
  struct FirstOffer {
    var offer: SampleEvent.Offer
    var code: String?
    var minorUnits: Int
  }

  var product: Product
  var cancelFactor: Double
  var paidAt: Instant
  /// Where the periods are counted from; the end of a trial, for one that converted late.
  var anchor: Instant
  /// What the conversion says of the paywall itself.
  var context: SampleEvent.Context
  /// Of the trial, or of a life before the sample; `nil` for a new one.
  var subscription: Int?
  var startsAsRenewal = false
  var firstOffer: FirstOffer?
}

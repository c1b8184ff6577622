/// The start of a subscription or a lifetime purchase.
struct Sale {
  struct FirstOffer {
    var offer: SampleEvent.Offer
    var code: String?
    var minorUnits: Int
  }

  var product: Product
  var cancelFactor: Double
  var paidAt: Milliseconds
  /// The instant from which periods are counted; for a trial that converted late, the trial's end.
  var anchor: Milliseconds
  /// The paywall context of the conversion.
  var context: SampleEvent.Context
  /// The subscription of the trial or from before the sample; `nil` for a new one.
  var subscription: Int?
  var startsAsRenewal = false
  var firstOffer: FirstOffer?
}

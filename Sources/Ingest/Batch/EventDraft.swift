internal import EventModel

/// An event between a line and a record: the fields found valid so far.
struct EventDraft {
  var record = EventRecord()
  var client = ClientNames()
  var context = ContextNames()
  var terms = TermsNames()
  /// A hash of the fields of ``terms`` in whatever order they were set; 0 if none was set.
  var termsHash: UInt64 = 0

  @inline(__always)
  var clientHash: UInt64 {
    var hash: UInt64 = 0
    Self.fold(UInt64(client.app) | UInt64(client.platform) &<< 32, into: &hash)
    Self.fold(UInt64(client.store) | UInt64(client.country) &<< 32, into: &hash)
    Self.fold(UInt64(client.appVersion) | (client.isSandbox ? 1 &<< 32 : 0), into: &hash)
    return hash
  }

  @inline(__always)
  var contextHash: UInt64 {
    var hash: UInt64 = 0
    Self.fold(UInt64(context.entryPoint) | UInt64(context.experiment) &<< 32, into: &hash)
    Self.fold(UInt64(context.variant) | UInt64(context.paywall) &<< 32, into: &hash)
    return hash
  }

  /// Adds the value of a terms field to their hash.
  @inline(__always)
  mutating func fold(_ field: EventField, _ value: UInt64) {
    var hash: UInt64 = 0
    Self.fold(value ^ UInt64(field.rawValue) &<< 56, into: &hash)
    termsHash = termsHash &+ hash | 1 &<< 63
  }

  /// Adds one part of a row to its hash.
  @inline(__always)
  private static func fold(_ part: UInt64, into hash: inout UInt64) {
    let product = (hash ^ part).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
    hash = product.low ^ product.high
  }
}

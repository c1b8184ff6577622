import EventModel

/// An instant in UTC by RFC 3339: `2026-03-01T00:00:00.000Z`.
func instantText(_ millisecondsSince1970: Int64) -> String {
  Instant(millisecondsSince1970: millisecondsSince1970).description
}

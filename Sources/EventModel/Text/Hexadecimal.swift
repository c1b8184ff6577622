extension Sequence<UInt8> {
  /// Two lower-case digits per byte, as `sha256sum` prints them.
  public var hexadecimal: String { map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }
}

extension UInt8 {
  /// Whether the byte is a letter or a digit of ASCII.
  public var isASCIIAlphanumeric: Bool { (0x30...0x39).contains(self) || (0x41...0x5A).contains(self & 0xDF) }
}

public import Crypto
public import Foundation
internal import SwiftASN1
public import X509

/// A chain as the App Store's, made for a test: root, intermediate and leaf, with Apple's marks.
public struct SigningChain {
  public let root: Certificate
  public let intermediate: Certificate
  public let leaf: Certificate
  public let key = P256.Signing.PrivateKey()

  /// - Parameters:
  ///   - from: When the leaf begins to be valid; it is so for a year.
  ///   - hasMark: Whether the leaf is marked for signing for the App Store.
  public init(from: Date, hasMark: Bool = true) throws {
    let rootKey = P256.Signing.PrivateKey()
    let intermediateKey = P256.Signing.PrivateKey()
    func name(_ text: String) throws -> DistinguishedName { try DistinguishedName { CommonName(text) } }
    func make(
      _ subject: String, _ issuer: String, _ key: P256.Signing.PublicKey, signer: P256.Signing.PrivateKey, from: Date,
      isCA: Bool, mark: ASN1ObjectIdentifier?
    ) throws -> Certificate {
      var extensions = try Certificate.Extensions {
        if isCA { Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil)) }
      }
      if let mark {
        try extensions.append(Certificate.Extension(oid: mark, critical: false, value: [0x05, 0x00]))
      }
      return try Certificate(
        version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: Certificate.PublicKey(key),
        notValidBefore: from, notValidAfter: from.addingTimeInterval(365 * 86_400), issuer: try name(issuer),
        subject: try name(subject), signatureAlgorithm: .ecdsaWithSHA256, extensions: extensions,
        issuerPrivateKey: Certificate.PrivateKey(signer))
    }
    let early = from.addingTimeInterval(-30 * 86_400)
    root = try make("Root", "Root", rootKey.publicKey, signer: rootKey, from: early, isCA: true, mark: nil)
    intermediate = try make(
      "Intermediate", "Root", intermediateKey.publicKey, signer: rootKey, from: early, isCA: true,
      mark: [1, 2, 840, 113635, 100, 6, 2, 1])
    leaf = try make(
      "Leaf", "Intermediate", key.publicKey, signer: intermediateKey, from: from, isCA: false,
      mark: hasMark ? [1, 2, 840, 113635, 100, 6, 11, 1] : nil)
  }

  public static func der(_ certificate: Certificate) throws -> [UInt8] {
    var serializer = DER.Serializer()
    try serializer.serialize(certificate)
    return serializer.serializedBytes
  }

  /// - Parameter more: Members of the header, each behind a comma.
  public func sign(
    _ json: String, algorithm: String = "ES256", more: String = "", with other: P256.Signing.PrivateKey? = nil
  ) throws -> String {
    let chain = try [leaf, intermediate, root].map { "\"\(Data(try Self.der($0)).base64EncodedString())\"" }
    let header = #"{"alg":"\#(algorithm)","x5c":[\#(chain.joined(separator: ","))]\#(more)}"#
    let input = Self.base64URL(header.utf8) + "." + Self.base64URL(json.utf8)
    let signature = try (other ?? key).signature(for: Data(input.utf8))
    return input + "." + Self.base64URL(signature.rawRepresentation)
  }

  /// The alphabet of URLs, without padding (RFC 4648, section 5).
  public static func base64URL(_ bytes: some Sequence<UInt8>) -> String {
    Data(bytes).base64EncodedString().replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
      .replacingOccurrences(of: "=", with: "")
  }
}

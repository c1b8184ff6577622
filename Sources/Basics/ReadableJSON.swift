public import Foundation

/// Returns a value as JSON for people and programs: indented, with its keys in order of bytes, and a line feed at the end.
///
/// - Parameter keys: How the names of properties become keys.
/// - Throws: `EncodingError`.
public func readableJSON(
  _ value: some Encodable, keys: JSONEncoder.KeyEncodingStrategy = .useDefaultKeys
) throws -> Data {
  let encoder = JSONEncoder()
  encoder.keyEncodingStrategy = keys
  encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
  return try encoder.encode(value) + Data("\n".utf8)
}

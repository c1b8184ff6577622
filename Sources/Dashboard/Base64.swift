internal import Foundation

enum Base64 {
  static func decode(_ text: some StringProtocol) -> [UInt8]? {
    Data(base64Encoded: text.trimmingCharacters(in: .whitespaces)).map { [UInt8]($0) }
  }
}

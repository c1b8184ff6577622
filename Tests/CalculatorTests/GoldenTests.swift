import Calculator
import FolderSupport
import Foundation
import Testing

/// Runs the shared reference cases of methods through the calculator, as `calc` does.
///
/// They are not part of the repository; see ``SharedFolder``.
struct GoldenTests {
  private static let path = "data/golden"
  private static let folder = SharedFolder.url(of: path)

  static let files: [String] = {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    // Excludes simulation results, which have no request.
    return names.filter { $0.hasSuffix(".json") && $0 != "simulation_targets.json" }.sorted()
  }()

  /// Without files, no case would run.
  @Test(.enabled(if: SharedFolder.isTried(path), "\(SharedFolder.absence(of: path))"))
  func thereAreFiles() {
    #expect(!Self.files.isEmpty)
  }

  @Test(.enabled(if: SharedFolder.isTried(path), "\(SharedFolder.absence(of: path))"), arguments: files)
  func everyCaseIsWithinItsTolerance(file: String) throws {
    let cases = try JSONDecoder().decode(
      [GoldenCase].self, from: Data(contentsOf: Self.folder.appending(path: file)))
    #expect(!cases.isEmpty)
    for reference in cases {
      do {
        let result = try Calculator.result(method: reference.method, input: reference.input.value)
        let misses = reference.misses(of: .object(result))
        #expect(misses.isEmpty, "\(reference.id) \(reference.method): \(misses.joined(separator: "; "))")
      } catch {
        Issue.record("\(reference.id) \(reference.method): \(error)")
      }
    }
  }
}

struct GoldenCase: Decodable {
  struct Tolerance: Decodable {
    var rel: Double
    var abs: Double
  }

  var id: String
  var method: String
  var input: DecodedJSON
  var expected: DecodedJSON
  var tolerance: Tolerance

  /// Returns where a result differs from the expected one; additional fields are allowed.
  func misses(of result: JSONValue) -> [String] { misses(result, expected.value, at: "") }

  /// Replaces survival observed in years beyond the input with null, which is what an answer can know.
  private func knowable(_ expected: JSONValue, named name: String) -> JSONValue {
    guard name == "observed_survival_pct_0_to_12", case .array(let items) = expected,
      case .object(let fields) = input.value, case .array(let alive)? = fields["alive"]
    else { return expected }
    return .array(items.enumerated().map { $0 < alive.count ? $1 : .null })
  }

  private func misses(_ value: JSONValue?, _ expected: JSONValue, at place: String) -> [String] {
    switch (value, expected) {
    case (.object(let fields)?, .object(let wanted)):
      return wanted.flatMap { misses(fields[$0.key], knowable($0.value, named: $0.key), at: "\(place).\($0.key)") }
    case (.array(let items)?, .array(let wanted)) where items.count == wanted.count:
      return zip(items, wanted).enumerated().flatMap { misses($1.0, $1.1, at: "\(place)[\($0)]") }
    case (.number(let number)?, .number(let wanted)):
      let isClose = number == wanted || abs(number - wanted) <= max(tolerance.abs, tolerance.rel * abs(wanted))
      return isClose ? [] : ["\(place) is \(number), expected \(wanted)"]
    default:
      return value == expected ? [] : ["\(place) is \(value?.text ?? "missing"), expected \(expected.text)"]
    }
  }
}

/// JSON as Foundation reads it, so that the calculator's parser is not its own oracle.
struct DecodedJSON: Decodable {
  var value: JSONValue

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      value = .null
    } else if let flag = try? container.decode(Bool.self) {
      value = .bool(flag)
    } else if let number = try? container.decode(Double.self) {
      value = .number(number)
    } else if let text = try? container.decode(String.self) {
      value = .string(text)
    } else if let items = try? container.decode([DecodedJSON].self) {
      value = .array(items.map(\.value))
    } else {
      value = .object(try container.decode([String: DecodedJSON].self).mapValues(\.value))
    }
  }
}

internal import Basics

/// Answers requests for statistics on given counts; a request is a method name and its input.
public enum Calculator {
  typealias Method = @Sendable (Fields) throws -> Values

  /// The supported methods, by name.
  static let methods: [String: Method] = [
    specialFunctions, proportionIntervals, proportionDifferences, proportionTests, ratioMethods, decisionMethods,
    meanMethods, covariateMethods, sequentialMethods, groupSequentialMethods, sampleRatioMethods,
    multiplicityMethods, survivalMethods, incidenceMethods, projectionMethods, powerMethods, coverageMethods,
    interoperabilityMethods, experimentMethods, programMethods,
  ].reduce(into: [:]) { all, part in all.merge(part) { _, _ in preconditionFailure("two methods have one name") } }

  /// Returns the result of a method.
  ///
  /// Values that cannot be estimated are null, with the reason in the field `reason`; an infinite bound is `"inf"` or
  /// `"-inf"`.
  public static func result(method: String, input: JSONValue) throws(CalculatorError) -> [String: JSONValue] {
    guard let answer = methods[method] else { throw .unknownMethod(method) }
    guard case .object(let values) = input else { throw .invalid("input is \(input.text), but must be an object") }
    do {
      return withReason(try answer(Fields(values: values)).mapValues(\.json))
    } catch let error as CalculatorError {
      throw error
    } catch {
      throw .unanswerable("\(error)")
    }
  }

  /// Adds a reason that names the null fields, unless the method gave one.
  private static func withReason(_ result: [String: JSONValue]) -> [String: JSONValue] {
    let undefined = result.filter { $0.value == .null }.keys.sorted()
    if undefined.isEmpty || result["reason"] != nil { return result }
    let reason = "not estimable from this input: \(undefined.joined(separator: ", "))"
    return result.merging(["reason": .string(reason)]) { one, _ in one }
  }

  /// Answers one line `{"id":…, "method":…, "input":{…}}` with `{"id":…, "result":{…}}` or `{"id":…, "error":"…"}`.
  ///
  /// - Parameter line: Without its newline.
  /// - Returns: One line of JSON, also for an invalid request, whose id is then null.
  public static func answer(line: some StringProtocol) -> String {
    var id = JSONValue.null
    do throws(CalculatorError) {
      let request: JSONValue
      do { request = try JSONValue(parsing: line) } catch { throw .malformed("\(error)") }
      guard case .object(let fields) = request else { throw .malformed("the request is not an object") }
      id = fields["id"] ?? .null
      guard case .string(let method)? = fields["method"] else {
        throw .malformed("method is \(fields["method"]?.text ?? "missing"), but must be a name")
      }
      let result = try result(method: method, input: fields["input"] ?? .null)
      return "{\"id\": \(id.text), \"result\": \(JSONValue.object(result).text)}"
    } catch {
      return "{\"id\": \(id.text), \"error\": \(JSONText.quoted(error.description))}"
    }
  }
}

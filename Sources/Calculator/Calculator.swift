internal import Basics

/// Answers requests for statistics on given counts; a request is a method name and its input.
public enum Calculator {
  typealias Method = @Sendable (Fields) throws -> [String: JSONValue]

  /// The supported methods, by name.
  static let methods: [String: Method] = [
    specialFunctions, proportionIntervals, proportionDifferences, proportionTests, ratioMethods, decisionMethods,
    meanMethods, covariateMethods, sequentialMethods, groupSequentialMethods, sampleRatioMethods,
    multiplicityMethods, survivalMethods, incidenceMethods, projectionMethods, powerMethods, coverageMethods,
    interoperabilityMethods, experimentMethods, programMethods,
  ].reduce(into: [:]) { all, part in all.merge(part) { _, _ in preconditionFailure("two methods have one name") } }

  /// An example request for each method in Methods.md, "Decisions", on one line and without spaces, so that help does
  /// not wrap it.
  public static let experimentExamples = [
    #"{"method":"experiment_decision","input":{"control":{"n":1507,"x":81},"treatments":[{"name":"b","n":1493,"x":94}],"persons_a_day":54}}"#,
    #"{"method":"trial_conditional","input":{"control":{"n":1400,"trials":290,"cancelled":150},"treatment":{"n":1400,"trials":412,"cancelled":337}}}"#,
    #"{"method":"annual_impact","input":{"difference":0.44,"se":0.08,"critical":3.04,"persons_by_day":[131,140,128,150,171,160,118,139,137,125,148,168,172,121]}}"#,
    #"{"method":"interaction","input":{"segments":[{"n0":1000,"x0":80,"n1":1000,"x1":131},{"n0":2000,"x0":160,"n1":2000,"x1":241}]}}"#,
    #"{"method":"cohort_trend","input":{"weeks":[{"n0":500,"x0":40,"n1":510,"x1":70},{"n0":480,"x0":41,"n1":470,"x1":55},{"n0":505,"x0":39,"n1":520,"x1":52}]}}"#,
    #"{"method":"shrunken_effects","input":{"log_lift":[0.2,-0.05,0.4],"se":[0.1,0.08,0.15],"shipped":[true,false,true]}}"#,
    #"{"method":"chance_best","input":{"arms":[{"n":4000,"x":400},{"n":4000,"x":545},{"n":4000,"x":430}]}}"#,
  ]

  public static var methodNames: [String] { methods.keys.sorted() }

  /// Returns the result of a method.
  ///
  /// Values that cannot be estimated are null, with the reason in the field `reason`; an infinite bound is `"inf"` or
  /// `"-inf"`.
  public static func result(method: String, input: JSONValue) throws(CalculatorError) -> [String: JSONValue] {
    guard let answer = methods[method] else { throw .unknownMethod(method) }
    guard case .object(let values) = input else { throw .invalid("input is \(input.text), but must be an object") }
    do {
      return withReason(try answer(Fields(values: values)))
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

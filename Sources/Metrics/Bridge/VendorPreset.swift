/// A vendor's definitions as the switches in which they differ from ours, read from its documentation on a known day
/// (definitions 13.1, 13.5). It is never fitted to a number.
struct VendorPreset: Sendable {
  /// How sure a setting is.
  enum Basis: String {
    /// The source says it.
    case stated
    /// Two pages of the source differ.
    case contradictory
    /// The source is silent.
    case assumed
  }

  /// One setting, and where it is from.
  struct Reading {
    var setting: VendorSetting
    var basis = Basis.stated
    /// The page of the vendor's documentation; empty for an assumption.
    var source = ""
  }

  /// A metric's settings, in the order of definitions 13.1.
  struct Metric {
    var readings: [Reading]

    /// - Parameter source: The page that states every setting without a source.
    init(_ source: String, _ readings: [Reading]) {
      self.readings = readings.map { reading in
        var reading = reading
        if reading.basis != .assumed, reading.source.isEmpty { reading.source = source }
        return reading
      }
    }
  }

  /// As on the command line, such as `revenuecat-v3`.
  let name: String
  /// As the vendor writes it.
  let title: String
  /// The month in which the pages were read.
  static let readIn = "2026-11"
  let metrics: [VendorMetric: Metric]
  /// Events that the files do not hold, which may be in the rest.
  let missing: [String]

  /// The names on the command line; `revenuecat` is the newest of its two.
  static let names = ["revenuecat"] + all.map(\.name)

  /// - Parameter option: The option that has the name, for errors.
  /// - Throws: ``OptionError``.
  static func named(_ name: String, of option: String = "vendor") throws -> VendorPreset {
    let wanted = name == "revenuecat" ? "revenuecat-v3" : name
    guard let preset = all.first(where: { $0.name == wanted }) else {
      throw OptionError(option, name, mustBeOneOf: names)
    }
    return preset
  }

  /// The switches of a metric.
  ///
  /// - Throws: ``OptionError`` for a metric that the vendor does not show.
  func readings(of metric: VendorMetric) throws -> [Reading] {
    if let known = metrics[metric] { return known.readings }
    let names = VendorMetric.allCases.filter { metrics[$0] != nil }.map(\.rawValue)
    throw OptionError(
      "--metric is \(metric.rawValue), but must be one that \(title) defines: \(names.joined(separator: ", "))")
  }
}

public import Lifecycle

/// A user exposed to an experiment, with the yes-or-no outcomes, in the cell of the variant and the
/// UTC day of the exposure that `PersonUnits.completeExposures` keeps.
public struct ExposureUnit: Equatable, Sendable {
  public var ts: Int64
  public var client: Int32
  public var flags: ExposureOutcome.Flags
  /// Whether the user saw another variant later. Crossed users are left out, so their outcomes are not stored.
  public var isCrossed = false

  static let layout = UnitLayout(storesDistance: [true, false], firstLimit: day << 9)

  public init(ts: Int64, client: Int32, _ outcome: ExposureOutcome) {
    self.ts = ts
    self.client = client
    flags = outcome.flags
  }

  @inline(__always)
  init(_ fields: UnsafeMutablePointer<Int64>, dayStart: Int64) {
    ts = dayStart + fields[0] >> 9
    client = Int32(truncatingIfNeeded: fields[1])
    flags = ExposureOutcome.Flags(rawValue: UInt16(truncatingIfNeeded: fields[0] & 0b1_1011_1111))
    isCrossed = fields[0] & 64 != 0
  }

  func append(to list: inout [Int64]) {
    list.append((ts % day) << 9 | (isCrossed ? 64 : 0) | Int64(flags.rawValue))
    list.append(Int64(client))
  }
}

/// The first trial of a user exposed to an experiment, in the cell of the exposure.
public struct ExposedTrialUnit: Equatable, Sendable {
  public var exposedAt: Int64
  public var trial: ExposureOutcome.Trial

  static let layout = UnitLayout(storesDistance: [true, false, true, true, false], firstLimit: day, distances: 4)

  public init(exposedAt: Int64, _ trial: ExposureOutcome.Trial) {
    self.exposedAt = exposedAt
    self.trial = trial
  }

  @inline(__always)
  init(_ fields: UnsafeMutablePointer<Int64>, dayStart: Int64) {
    exposedAt = dayStart + fields[0]
    let start = exposedAt + fields[1]
    let end = start + fields[2]
    trial = ExposureOutcome.Trial(
      start: start, end: end, deadline: end + fields[3], convertedAt: fields[4] == 0 ? nil : start + fields[4] - 1)
  }

  func append(to list: inout [Int64]) {
    list.append(exposedAt % day)
    list.append(trial.start - exposedAt)
    list.append(trial.end - trial.start)
    list.append(trial.deadline - trial.end)
    list.append(trial.convertedAt.map { $0 - trial.start + 1 } ?? 0)
  }
}

/// The revenue from a user exposed to an experiment, in one currency, in the cell of the exposure.
public struct ExposedRevenueUnit: Equatable, Sendable {
  public var exposedAt: Int64
  public var revenue: ExposureOutcome.Revenue

  static let layout = UnitLayout(storesDistance: [true, false, false, false, false], firstLimit: day)

  public init(exposedAt: Int64, _ revenue: ExposureOutcome.Revenue) {
    self.exposedAt = exposedAt
    self.revenue = revenue
  }

  @inline(__always)
  init(_ fields: UnsafeMutablePointer<Int64>, dayStart: Int64) {
    exposedAt = dayStart + fields[0]
    revenue = ExposureOutcome.Revenue(currency: NameID(truncatingIfNeeded: fields[1]))
    revenue.hasPaid = fields[2] & 1 != 0
    revenue.hadPaidBefore = fields[2] & 2 != 0
    revenue.net = fields[3]
    revenue.netBefore = fields[4]
  }

  func append(to list: inout [Int64]) {
    list.append(exposedAt % day)
    list.append(Int64(revenue.currency))
    list.append((revenue.hasPaid ? 1 : 0) | (revenue.hadPaidBefore ? 2 : 0))
    list.append(revenue.net)
    list.append(revenue.netBefore)
  }
}

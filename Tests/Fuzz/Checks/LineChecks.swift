#if DEBUG || TOLLGATE_FUZZ
  import EventModel
  @testable import Ingest

  /// A line of the native format.
  struct NativeCheck: FuzzCheck {
    private let decoder = EventDecoder()!
    private let reencoding = Reencoding()

    mutating func check(_ bytes: [UInt8]) throws(FuzzProblem) -> Int {
      let line = Array(bytes.prefix { $0 != 0x0A })
      let rejected = decoder.decode(line, number: 1)
      let batch = decoder.takeBatch()
      guard (rejected == nil) == (batch.records.count == 1) else {
        throw FuzzProblem("\(batch.records.count) events, and the rejection \(rejected?.reason ?? "none")")
      }
      return try reencoding.check(batch)
    }
  }

  /// A header in the first line, and a record.
  struct CSVCheck: FuzzCheck {
    private let reencoding = Reencoding()

    mutating func check(_ bytes: [UInt8]) throws(FuzzProblem) -> Int {
      guard let lineFeed = bytes.firstIndex(of: 0x0A), lineFeed > 0,
        let decoder = EventDecoder(csvHeader: Array(bytes[..<lineFeed]))
      else { return 0 }
      let rejected = decoder.decode(Array(bytes[(lineFeed + 1)...]), number: 2)
      let batch = decoder.takeBatch()
      guard (rejected == nil) == (batch.records.count == 1) else {
        throw FuzzProblem("\(batch.records.count) events, and the rejection \(rejected?.reason ?? "none")")
      }
      return try reencoding.check(batch)
    }
  }

  /// Payloads of a vendor, whether or not they would be told to be its: a header and a record where the bytes begin like
  /// CSV, else JSON or signed text.
  struct VendorCheck: FuzzCheck {
    private let formats: [VendorFormat]
    private let settings: SourceSettings
    private let payloads: [VendorReading]
    private let reencoding = Reencoding()

    /// - Returns: `nil` for a source without adapters.
    init?(source: String) {
      formats = VendorFormat.allCases.filter { $0.source.rawValue == source }
      if formats.isEmpty { return nil }
      // The reports name no app either.
      let app = formats.contains { $0.needsApp || $0.assumesApp || $0.source == .appstoreconnect } ? "steps" : nil
      let settings = SourceSettings(app: app, plans: ["pro": "monthly"])
      self.settings = settings
      payloads = formats.filter { !$0.isCSV }.map {
        VendorReading($0.adapter(settings), shape: .lines, linesBefore: 0)
      }
    }

    /// Records by a mapping.
    init(_ mapping: MappingFile) {
      formats = []
      settings = SourceSettings()
      payloads = [VendorReading(MappedRecords(mapping, settings, path: ""), shape: .lines, linesBefore: 0)]
    }

    mutating func check(_ bytes: [UInt8]) throws(FuzzProblem) -> Int {
      let isJSON = bytes.first { $0 > 0x20 }.map { $0 == 0x7B || $0 == 0x5B } ?? true
      let lineFeed = bytes.firstIndex(of: 0x0A)
      var decoder = LineDecoder()
      var count = 0
      if !isJSON, let lineFeed, let header = bytes[..<lineFeed].withUnsafeBytes({ VendorHeader($0) }) {
        let record = Array(bytes[(lineFeed + 1)...])
        for format in formats where format.isCSV {
          let reading = VendorReading(format.adapter(settings), shape: .records(header), linesBefore: 1)
          count += try read(&decoder) { decoder, progress in
            record.withUnsafeBytes { reading.decodeRecord($0, line: 2, into: &decoder, progress: &progress) }
          }
        }
      }
      for reading in payloads {
        count += try read(&decoder) { decoder, progress in
          bytes.withUnsafeBytes { reading.decode($0, line: 1, into: &decoder, progress: &progress) }
        }
      }
      return count
    }

    private func read(
      _ decoder: inout LineDecoder, _ body: (inout LineDecoder, inout LineProgress) -> Void
    ) throws(FuzzProblem) -> Int {
      var progress = LineProgress()
      body(&decoder, &progress)
      decoder.forgetApp()
      let batch = decoder.filler.takeBatch(parts: [])
      let counted = progress.counts.values.reduce(0, +)
      if progress.count < progress.rejected.count {
        throw FuzzProblem("\(progress.rejected.count) rejected of \(progress.count) payloads")
      }
      return try reencoding.check(batch) + counted
    }
  }

  /// A mapping, by which the sample's records are then read.
  struct MappingCheck: FuzzCheck {
    mutating func check(_ bytes: [UInt8]) throws(FuzzProblem) -> Int {
      let mapping: MappingFile
      do {
        mapping = try MappingFile(yaml: String(decoding: bytes, as: UTF8.self), file: "mapping.yaml")
      } catch {
        guard error.description.hasPrefix("mapping.yaml:") else {
          throw FuzzProblem("an error that does not name the file: \(error)")
        }
        return 0
      }
      var records = VendorCheck(mapping)
      for record in MappedSample.records { _ = try records.check(Array(record.utf8)) }
      return 1
    }
  }

  /// A mapping like those of SampleData, and records that it maps.
  enum MappedSample {
    static let mapping: MappingFile = {
      do { return try MappingFile(yaml: yaml, file: "mapping.yaml") } catch { preconditionFailure("\(error)") }
    }()

    private static let yaml = """
      app: {value: steps}
      id: [properties.$insert_id, id]
      name: event
      user: [properties.distinct_id, user]
      time: [properties.time, time]
      properties: [properties, more]
      fields:
        received_at: received
        country: properties.country
        platform: {path: properties.os, values: {iOS: ios, "true": web}}
      events:
        Seen:
          kind: paywall_impression
          fields: {entry_point: properties.source, price_monthly: properties.price, currency: properties.currency}
        Paid:
          kind: conversion
          fields: {product_id: sku, price: amount, currency: properties.currency, plan: {value: monthly}}
        Back: {kind: refund, fields: {price: amount, currency: properties.currency}}
        Known: {kind: identify, fields: {previous_user_id: properties.old}}
        Open: activity
      ignore: [Other]
      """

    static let records = [
      #"{"event":"Seen","properties":{"$insert_id":"1","distinct_id":"a","time":1772323200,"country":"de","os":"iOS","source":"settings","price":"7.99","currency":"eur"}}"#,
      #"{"event":"Paid","id":"2","user":7,"time":"2026-03-01 10:00:00","sku":"pro","amount":7.99,"properties":{"currency":"USD"},"more":{"x":[1,{"y":null}]}}"#,
      #"{"event":"Back","id":"3","user":"a","time":1772323200000,"amount":-7.99,"properties":{"currency":"USD"}}"#,
      #"{"event":"Known","id":"4","user":"a","time":1772323200,"properties":{"old":"b"}}"#,
      #"{"event":"Open","id":"5","user":"a","time":"2026-03-01T10:00:00.123456Z","received":1772323200}"#,
    ]
  }
#endif

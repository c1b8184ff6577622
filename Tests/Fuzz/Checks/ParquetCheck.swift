#if DEBUG || TOLLGATE_FUZZ
  import Basics
  import Parquet

  /// The lines of a Parquet file do not depend on how much is read at once, each is one JSON object, and memory is bounded.
  struct ParquetCheck: FuzzCheck {
    /// Enough to see that rows go on; more is not read.
    private static let mostBytes = 1 << 18

    mutating func check(_ bytes: [UInt8]) throws(FuzzProblem) -> Int {
      var options = ParquetOptions()
      options.memoryBytes = 32 << 20
      options.rowBytes = 1 << 16
      let whole = read(bytes, options, room: 64 << 10)
      let parts = read(bytes, options, room: 61)
      guard whole == parts else { throw FuzzProblem("in large blocks \(said(whole)), in small ones \(said(parts))") }
      var count = 0
      for line in whole.bytes.split(separator: 0x0A, omittingEmptySubsequences: false).dropLast() {
        // A row that is too long is cut.
        if line.count > options.rowBytes { continue }
        guard JSONNode(parsing: Array(line))?.members != nil else {
          throw FuzzProblem("a line is no object: \(String(decoding: line.prefix(200), as: UTF8.self))")
        }
        count += 1
      }
      // Native columns splice text in; it must not end anything.
      options.nativeNames = ["event"]
      options.objectName = "properties"
      _ = read(bytes, options, room: 4096)
      return whole.failure == nil ? max(count, 1) : 0
    }

    private struct Content: Equatable {
      var bytes: [UInt8] = []
      var failure: String?
    }

    private func read(_ bytes: [UInt8], _ options: ParquetOptions, room: Int) -> Content {
      var content = Content()
      let room = UnsafeMutableRawBufferPointer.allocate(byteCount: room, alignment: 16)
      defer { room.deallocate() }
      do {
        let rows = try ParquetRows(ParquetInput(bytes), options)
        while content.bytes.count < Self.mostBytes, case let count = try rows.read(into: room), count > 0 {
          content.bytes += room[..<count]
        }
        content.bytes.removeLast(max(0, content.bytes.count - Self.mostBytes))
      } catch {
        // Rows before the damage may be read or not.
        content = Content(failure: "\(error)")
      }
      return content
    }

    private func said(_ content: Content) -> String { content.failure ?? "\(content.bytes.count) bytes" }
  }
#endif

#if DEBUG || TOLLGATE_FUZZ
  import CZlib
  @testable import Ingest
  import PackingSupport

  /// Checks that unpacked content does not depend on how much is read at once, never exceeds the room given, and is the
  /// same once it is packed and unpacked again; and the bytes themselves survive packing.
  struct CompressionCheck: FuzzCheck {
    enum Format { case zstd, gzip, zip }

    /// Enough to see that content goes on; more is not read.
    private static let mostBytes = 1 << 20

    private let format: Format
    private let file = ScratchFile()

    init(_ format: Format) { self.format = format }

    mutating func check(_ bytes: [UInt8]) throws(FuzzProblem) -> Int {
      let whole = try unpack(bytes, block: 64 << 10, room: 64 << 10)
      let parts = try unpack(bytes, block: 16, room: 509)
      // Of several things that are wrong, which is met first depends on the blocks; one behind the most that is read shows
      // in large blocks alone.
      let bothFail = whole.failure != nil && parts.failure != nil
      guard whole == parts || bothFail || whole.isCut != parts.isCut else {
        throw FuzzProblem("in large blocks \(said(whole)), in small ones \(said(parts))")
      }
      for content in [bytes, whole.bytes] {
        // A gzip file in an archive is unpacked, too, and Parquet in any of them.
        if format == .zip, content.starts(with: [0x1F, 0x8B]) { continue }
        if content.starts(with: "PAR1".utf8) || content.starts(with: "PARE".utf8) { continue }
        let again = try unpack(packed(content), block: 4096, room: 4096)
        let expected = format == .zip && !content.isEmpty && content.last != 0x0A ? content + [0x0A] : content
        guard again.failure == nil, again.bytes.elementsEqual(expected.prefix(Self.mostBytes)) else {
          throw FuzzProblem("\(content.count) bytes packed and unpacked: \(said(again))")
        }
      }
      return whole.failure == nil ? 1 : 0
    }

    private struct Content: Equatable {
      var bytes: [UInt8] = []
      var failure: String?
      /// There is more.
      var isCut = false
    }

    private func unpack(_ bytes: [UInt8], block: Int, room: Int) throws(FuzzProblem) -> Content {
      var content = Content()
      do {
        let decompressor = try Decompressor(ByteSource(file.holding(bytes), blockByteCount: block))
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: room, alignment: 16)
        defer { room.deallocate() }
        while true {
          let count = try decompressor.read(into: room)
          if count == 0 { break }
          if count > room.count { throw FuzzProblem("\(count) bytes in a room of \(room.count)") }
          content.bytes += room[..<count]
          if content.bytes.count >= Self.mostBytes {
            content.bytes.removeLast(content.bytes.count - Self.mostBytes)
            content.isCut = true
            break
          }
        }
      } catch let failure as FileFailure {
        // How much came before it depends on the blocks.
        content = Content(failure: failure.reason)
      } catch let problem as FuzzProblem {
        throw problem
      } catch {
        throw FuzzProblem("\(error)")
      }
      return content
    }

    private func said(_ content: Content) -> String {
      content.failure ?? "\(content.bytes.count) bytes\(content.isCut ? " and more" : "")"
    }

    // MARK: Packing

    private func packed(_ content: [UInt8]) -> [UInt8] {
      switch format {
      case .zstd: zstdFrame(content, level: 1)
      case .gzip: gzipMember(content)
      case .zip: Self.zipArchive(content)
      }
    }

    /// One entry as it is (PKWARE, APPNOTE.TXT 4.3).
    private static func zipArchive(_ content: [UInt8]) -> [UInt8] {
      func number(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
      }
      let checksum = Int(crc32(0, content, UInt32(content.count)))
      let common =
        number(20, 2) + number(0, 8) + number(checksum, 4) + number(content.count, 4) + number(content.count, 4)
        + number(1, 2) + number(0, 2)
      let entry = number(0x0403_4B50, 4) + common + Array("a".utf8) + content
      let directory =
        number(0x0201_4B50, 4) + number(20, 2) + common + [UInt8](repeating: 0, count: 14) + Array("a".utf8)
      return entry + directory + number(0x0605_4B50, 4) + number(0, 4) + number(1, 2) + number(1, 2)
        + number(directory.count, 4) + number(entry.count, 4) + number(0, 2)
    }
  }
#endif

internal import Basics
internal import EventModel
internal import Foundation
internal import GRDB
internal import Ingest

/// Hashes of each page of a store's file, stored in a file next to it.
///
/// SQLite keeps no checksums, so a flipped bit inside a value goes unnoticed. Sealing a store makes it possible to
/// check later whether its pages are unchanged, and to find those that are not. The next commit breaks the seal.
struct PageChecksums {
  private static let magic = Array("tollgate seal 1\n".utf8)

  /// Returns the path of a store's seal, which lies next to the file itself, even if the path is a link.
  static func path(of store: String) -> String { FileIdentity.realPath(of: store) + ".seal" }

  private let pageSize: Int
  private let hashes: [UInt64]

  /// Hashes the pages of a file. No process may write to it meanwhile.
  init(of path: String, pageSize: Int) throws {
    guard let file = FileHandle(forReadingAtPath: path) else {
      throw StoreError.cannotOpen(path: path, reason: SystemReason.text(errno, at: path))
    }
    defer { try? file.close() }
    self.pageSize = pageSize
    var hashes: [UInt64] = []
    while let bytes = try file.read(upToCount: pageSize * 1024), !bytes.isEmpty {
      bytes.withUnsafeBytes { bytes in
        for start in stride(from: 0, to: bytes.count, by: pageSize) {
          let page = UnsafeRawBufferPointer(rebasing: bytes[start..<min(start + pageSize, bytes.count)])
          hashes.append(ByteHash.hash(page, seed: UInt64(hashes.count)))
        }
      }
    }
    self.hashes = hashes
  }

  /// Reads a seal.
  ///
  /// - Returns: `nil` if there is no seal, or if it is damaged.
  init?(readFrom path: String) {
    guard let bytes = FileManager.default.contents(atPath: path).map({ [UInt8]($0) }), bytes.starts(with: Self.magic)
    else { return nil }
    var numbers: [UInt64] = []
    for start in stride(from: Self.magic.count, to: bytes.count - 7, by: 8) {
      numbers.append(bytes[start..<start + 8].reversed().reduce(0) { $0 << 8 | UInt64($1) })
    }
    // The file holds the page size, the hashes, and a hash of all of them.
    guard numbers.count >= 2, let sum = numbers.popLast(), sum == Self.sum(numbers), let size = numbers.first else {
      return nil
    }
    pageSize = Int(truncatingIfNeeded: size)
    hashes = Array(numbers.dropFirst())
  }

  private static func sum(_ numbers: [UInt64]) -> UInt64 { numbers.withUnsafeBytes { ByteHash.hash($0) } }

  func write(to path: String) throws {
    var bytes = Self.magic
    let numbers = [UInt64(pageSize)] + hashes
    for number in numbers + [Self.sum(numbers)] {
      withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }
    guard let part = PartFile(for: path) else { throw Self.failure(path) }
    guard part.write(bytes), rename(part.path, path) == 0 else {
      let failure = Self.failure(path)
      unlink(part.path)
      throw failure
    }
  }

  private static func failure(_ path: String) -> StoreError {
    let reason =
      switch errno {
      case EFBIG: "the limit of the size of files is reached (ulimit -f)"
      case let error: SystemReason.text(error, at: path)
      }
    return .writeFailed(path: path, reason: "\(reason); the store is whole, but has no seal")
  }

  /// Returns the numbers, from 1, of the pages that have changed.
  func brokenPages(of path: String) throws -> [Int] {
    guard (512...65_536).contains(pageSize) else { return [1] }
    let now = try PageChecksums(of: path, pageSize: pageSize).hashes
    return (0..<max(now.count, hashes.count)).filter { page in
      page >= now.count || page >= hashes.count || now[page] != hashes[page]
    }.map { $0 + 1 }
  }
}

/// Breaks the seal before each commit, while the store is locked for others.
final class SealBreaker: TransactionObserver {
  private let path: String

  init(store: String) { path = PageChecksums.path(of: store) }

  func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { false }
  func databaseDidChange(with event: DatabaseEvent) {}
  func databaseWillCommit() throws { unlink(path) }
  func databaseDidCommit(_ db: Database) {}
  func databaseDidRollback(_ db: Database) {}
}

extension Store {
  /// The state of a store's seal.
  public enum Seal: Equatable, Sendable {
    case absent
    case whole
    /// The numbers, from 1, of the pages that have changed.
    case broken([Int])
  }

  /// Seals the store as it is; until the next commit, ``checkSeal(of:)`` detects changed pages.
  ///
  /// - Throws: ``StoreError/locked(path:seconds:)`` if a reader prevents the log from being emptied.
  public func seal(lockTimeout: Double = 30) throws {
    try write(lockTimeout: lockTimeout) { db in
      try emptyLog(db, lockTimeout)
      let pageSize = try Int.fetchOne(db, sql: "PRAGMA page_size") ?? 4096
      // The transaction prevents commits meanwhile.
      try db.inTransaction(.immediate) {
        let logPath = FileIdentity.realPath(of: path) + "-wal"
        let log = try? FileManager.default.attributesOfItem(atPath: logPath)[.size] as? Int64
        if log ?? 0 == 0 { try PageChecksums(of: path, pageSize: pageSize).write(to: PageChecksums.path(of: path)) }
        return .rollback
      }
    }
  }

  /// Rejects a store whose seal is broken; rewriting it would keep the content of a damaged page and lose the seal.
  ///
  /// - Returns: Whether the store has a seal.
  /// - Throws: ``StoreError/sealBroken(path:pages:)``.
  @discardableResult
  public static func requireWholeSeal(of path: String) throws -> Bool {
    let seal = try checkSeal(of: path)
    guard case .broken(let pages) = seal else { return seal == .whole }
    throw StoreError.sealBroken(path: path, pages: pages)
  }

  /// Compares the pages of a store's file with its seal, without SQLite, which a damaged page could mislead.
  public static func checkSeal(of path: String) throws -> Seal {
    let sealPath = PageChecksums.path(of: path)
    guard let seal = PageChecksums(readFrom: sealPath) else {
      if !FileManager.default.fileExists(atPath: sealPath) { return .absent }
      throw StoreError.sealDamaged(path: path)
    }
    let broken = try seal.brokenPages(of: path)
    let hasLog = Self.hasCommit(logOf: path)
    if broken.isEmpty, !hasLog { return .whole }
    // A commit that came meanwhile has broken it.
    if !FileManager.default.fileExists(atPath: sealPath) { return .absent }
    if hasLog { throw StoreError.logBesideSeal(path: path) }
    return .broken(broken)
  }

  /// Whether SQLite's log beside a store has a commit, which SQLite would read instead of the store's own pages.
  ///
  /// Source: SQLite's file format, section 4 ("The Write-Ahead Log").
  private static func hasCommit(logOf path: String) -> Bool {
    guard let log = FileHandle(forReadingAtPath: FileIdentity.realPath(of: path) + "-wal") else { return false }
    defer { try? log.close() }
    func bytes(_ count: Int, at offset: UInt64) -> [UInt8]? {
      guard (try? log.seek(toOffset: offset)) != nil, let data = try? log.read(upToCount: count), data.count == count
      else { return nil }
      return Array(data)
    }
    func number(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
    guard let header = bytes(32, at: 0) else { return false }
    let pageSize = number(header[8..<12])
    guard pageSize >= 512 else { return false }
    var offset = 32 as UInt64
    // Frames of an earlier log have other salts; a commit's frame has the store's size.
    while let frame = bytes(24, at: offset), frame[8..<16] == header[16..<24] {
      if number(frame[4..<8]) > 0 { return true }
      offset += 24 + pageSize
    }
    return false
  }
}

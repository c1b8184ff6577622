public import Basics
internal import Crypto
internal import EventModel
internal import Foundation

/// A folder whose files are replaced one by one, in the order given, so that each is whole at any time.
///
/// Files of the previous page that the new one lacks are removed, unless someone has edited them; other files stay. A file
/// that someone has edited, or that no earlier page wrote, is not replaced: then nothing is written. New files are readable
/// by their owner only, or by all.
public struct ReportFolder: Sendable {
  private let path: String
  private let isPublic: Bool

  /// - Parameter isPublic: Whether a web server may read the files.
  /// - Throws: ``ReportFolderError`` when the path is that of a file.
  public init(path: String, isPublic: Bool = false) throws(ReportFolderError) {
    guard !path.isEmpty else {
      throw ReportFolderError(path: path, reason: "is empty; name a folder")
    }
    var isFolder: ObjCBool = false
    if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), !isFolder.boolValue {
      throw ReportFolderError(path: path, reason: "is a file; name a folder")
    }
    (self.path, self.isPublic) = (path, isPublic)
  }

  /// Creates the folder where it does not exist, and writes the files.
  ///
  /// - Returns: The files of the previous page that stay because someone has edited them.
  /// - Throws: ``ReportFolderError``; the files that were there before are then still whole.
  @discardableResult
  public func write(_ files: [ReportPage.File]) throws(ReportFolderError) -> [String] {
    let former = ManifestFiles(folder: path).files
    do {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      guard let folder = partFolder() else { throw WholeFile.Failure.system(path) }
      let part = folder.path
      defer { try? FileManager.default.removeItem(atPath: part) }
      if let name = foreignFile(among: files, former) { throw Foreign(name: name) }
      for folder in Set(files.map { ($0.name as NSString).deletingLastPathComponent }) where !folder.isEmpty {
        for parent in [part, path] {
          try FileManager.default.createDirectory(
            atPath: "\(parent)/\(folder)", withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        }
      }
      if isPublic {
        for folder in Set(files.map { ($0.name as NSString).deletingLastPathComponent }) {
          chmod("\(path)/\(folder)", 0o755)
        }
      }
      for file in files {
        try WholeFile.create(
          "\(part)/\(file.name)", toReplace: "\(path)/\(file.name)", file.text, isPublic: isPublic)
      }
      let new = files.filter { $0.name != ManifestFiles.name }.map {
        ManifestFiles.File(name: $0.name, sha256: SHA256.hash(data: Data($0.text.utf8)).hexadecimal)
      }
      var moves = files.map { ($0.name, $0.name) }
      if new.count < files.count {
        // If this run is killed from here on, the next one knows the files of before and of now.
        let known = String(decoding: try JSONEncoder().encode(ManifestFiles(former + new)), as: UTF8.self)
        try WholeFile.create(
          "\(part)/known.json", toReplace: "\(path)/\(ManifestFiles.name)", known, isPublic: isPublic)
        moves.insert(("known.json", ManifestFiles.name), at: 0)
      }
      for (name, place) in moves {
        guard rename("\(part)/\(name)", "\(path)/\(place)") == 0 else {
          throw CocoaError(
            .fileWriteUnknown,
            userInfo: [NSLocalizedDescriptionKey: "\(place): \(String(cString: strerror(errno)))"])
        }
      }
      let names = Set(files.map(\.name))
      return Dictionary(grouping: former, by: \.name).filter { !names.contains($0.key) }.filter { name, states in
        !removeUnchanged(name, Set(states.map(\.sha256)))
      }.map(\.key).sorted()
    } catch let foreign as Foreign {
      throw ReportFolderError(
        path: path,
        reason:
          "\(foreign.name) is not as an earlier report wrote it, and would be replaced: move it away, or name another "
          + "folder")
    } catch let failure as WholeFile.Failure {
      throw ReportFolderError(path: path, reason: "\(failure)")
    } catch {
      throw ReportFolderError(path: path, reason: "cannot be written: \(FileArgument.reason(of: error, at: path))")
    }
  }

  private struct Foreign: Error {
    var name: String
  }

  /// Returns the first file that would be replaced although someone has edited it or put it there.
  private func foreignFile(among files: [ReportPage.File], _ former: [ManifestFiles.File]) -> String? {
    let known = Set(former)
    return files.first { file in
      guard let content = FileManager.default.contents(atPath: "\(path)/\(file.name)") else { return false }
      if file.name == ManifestFiles.name { return !ManifestFiles.isManifest(content) }
      let hash = SHA256.hash(data: content).hexadecimal
      return content != Data(file.text.utf8) && !known.contains(ManifestFiles.File(name: file.name, sha256: hash))
    }?.name
  }

  /// Creates a folder for new files: beside the page, which may be published, unless the page's folder alone is on that disk
  /// or can be written to; it is hidden there, so that no server lists it.
  private func partFolder() -> PartFile? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    let page = String(cString: resolved)
    var (own, beside) = (stat(), stat())
    let parent = URL(fileURLWithPath: page).deletingLastPathComponent().path
    if stat(page, &own) == 0, stat(parent, &beside) == 0, own.st_dev == beside.st_dev,
      let part = PartFile(for: page, isFolder: true)
    {
      return part
    }
    return PartFile(for: page, in: page, isFolder: true)
  }

  /// Removes a table or page that is no longer part of the folder, so that nobody takes it for a current one.
  ///
  /// - Returns: `false` if the file stays because someone has edited it.
  private func removeUnchanged(_ file: String, _ hashes: Set<String>) -> Bool {
    let place = "\(path)/\(file)"
    let name =
      file.hasPrefix("\(ReportPage.tableFolder)/")
      ? file.dropFirst(ReportPage.tableFolder.utf8.count + 1) : file[...]
    guard !name.contains("/"), [".csv", ".html", ".css"].contains(where: name.hasSuffix),
      let content = FileManager.default.contents(atPath: place)
    else { return true }
    guard hashes.contains(SHA256.hash(data: content).hexadecimal) else { return false }
    return (try? FileManager.default.removeItem(atPath: place)) != nil
  }
}

/// The reason why the files cannot be written to a folder.
public struct ReportFolderError: ReadableError, Sendable {
  public var path: String
  /// The fault and the expected value.
  public var reason: String

  public var description: String { "--output \(path): \(reason)" }
}

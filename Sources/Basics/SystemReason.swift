internal import Foundation

/// Says why the system refuses a file or folder, and what to do.
public enum SystemReason {
  /// Returns the reason of an error number as the end of a sentence, with the next step where the disk is full or this user
  /// lacks a permission.
  public static func text(_ code: Int32, at path: String) -> String {
    let text = String(cString: strerror(code))
    return switch code {
    case ENOSPC: "\(fullDisk(free: freeBytes(at: path))); free some space and run the command again"
    case EACCES, EPERM: permission(at: path) ?? text
    default: text
    }
  }

  // MARK: - Space

  /// Says that a disk is full, how much space it still has, and how much is needed.
  ///
  /// - Parameters:
  ///   - free: Bytes; `nil` if that is not known.
  ///   - needed: Bytes; `nil` if that is not known.
  public static func fullDisk(free: Int64?, needed: Int64? = nil) -> String {
    let left = free.map { "\(size($0)) free" }
    let wanted = needed.map { "about \(size($0)) needed" }
    let figures = [left, wanted].compactMap(\.self).joined(separator: ", ")
    return figures.isEmpty ? "the disk is full" : "the disk is full: \(figures)"
  }

  /// Returns the bytes that this user can still write to the disk of a file or folder; a path that does not exist counts
  /// with its folder.
  public static func freeBytes(at path: String) -> Int64? {
    var system = statvfs()
    guard statvfs(path, &system) == 0 || statvfs(folder(of: path), &system) == 0 else { return nil }
    return Int64(clamping: UInt64(system.f_bavail) * UInt64(system.f_frsize))
  }

  private static func size(_ bytes: Int64) -> String {
    bytes < 1_000_000 ? "\(bytes / 1_000) KB" : String(format: "%.1f MB", Double(bytes) / 1e6)
  }

  // MARK: - Permissions

  /// Says which file or folder on the way to a path this user may not use; `nil` if that is not the reason.
  ///
  /// - Parameter isWritten: Whether the file is to be written, too.
  public static func permission(at path: String, isWritten: Bool = true) -> String? {
    let whole = URL(fileURLWithPath: path).path
    var status = stat()
    let isFolder = stat(whole, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    var folders = isFolder ? [whole] : []
    var parent = folder(of: whole)
    while parent != "/" {
      folders.insert(parent, at: 0)
      parent = folder(of: parent)
    }
    for folder in folders where isRefused(folder, X_OK) { return refusal(folder, "open", "x") }
    if isRefused(whole, R_OK) { return refusal(whole, "read", "r") }
    if !isWritten { return nil }
    if isRefused(whole, W_OK) { return refusal(whole, "write to", "w") }
    return isRefused(folder(of: whole), W_OK) ? refusal(folder(of: whole), "write to", "w") : nil
  }

  private static func folder(of path: String) -> String { URL(fileURLWithPath: path).deletingLastPathComponent().path }

  private static func isRefused(_ path: String, _ mode: Int32) -> Bool { access(path, mode) != 0 && errno == EACCES }

  private static func refusal(_ place: String, _ action: String, _ letter: String) -> String {
    var status = stat()
    guard stat(place, &status) == 0 else { return "this user may not \(action) \(place)" }
    let (user, owner) = (name(of: geteuid()), name(of: status.st_uid))
    if status.st_uid == geteuid() {
      return "user \(user) may not \(action) \(place); run `chmod u+\(letter) \(place.shellWord)`"
    }
    return "user \(user) may not \(action) \(place), which belongs to \(owner); run the command as \(owner), or let "
      + "\(user) \(action) it"
  }

  private static func name(of user: uid_t) -> String {
    getpwuid(user).map { String(cString: $0.pointee.pw_name) } ?? String(user)
  }
}

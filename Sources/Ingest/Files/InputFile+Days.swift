extension InputFile {
  /// Total bytes of all files at which they are read by day.
  static let bytesByDay: Int64 = 256 << 20

  /// Returns the files in reading order: as given, or, if they exceed one transaction, by the day in their names, those
  /// without a day first.
  ///
  /// A transaction folds the users that it touches. If a folder has daily files of several kinds, byte order puts all
  /// days of one kind first, and each transaction would touch almost all users again. By day, it touches only the users
  /// of its days. The store does not depend on the order.
  public static func inReadingOrder(_ files: [InputFile]) -> [InputFile] {
    var bytes: Int64 = 0
    for file in files {
      guard let byteCount = file.byteCount else { return files }
      bytes += byteCount
    }
    if bytes < bytesByDay { return files }
    let days = files.map { day(in: $0.pathBytes) }
    return files.indices.sorted { (days[$0], $0) < (days[$1], $1) }.map { files[$0] }
  }

  /// Returns the last day in a path, as yyyymmdd: `2026-01-31`, `2026_01_31`, `2026/01/31` or `20260131`; 0 if there is
  /// none.
  static func day(in path: [UInt8]) -> Int {
    func digits(_ places: Range<Int>) -> Int? {
      if places.upperBound > path.count { return nil }
      var number = 0
      for byte in path[places] {
        guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
        number = number * 10 + Int(byte - UInt8(ascii: "0"))
      }
      return number
    }
    for start in path.indices.reversed() {
      guard let year = digits(start..<start + 4), (1900..<2200).contains(year),
        start == 0 || digits(start - 1..<start) == nil
      else { continue }
      let isSeparated = start + 4 < path.count && "-_/".utf8.contains(path[start + 4])
      let month = start + (isSeparated ? 5 : 4)
      let day = month + (isSeparated ? 3 : 2)
      guard let monthNumber = digits(month..<month + 2), (1...12).contains(monthNumber),
        let dayNumber = digits(day..<day + 2), (1...31).contains(dayNumber), digits(day + 2..<day + 3) == nil,
        !isSeparated || path[month + 2] == path[start + 4]
      else { continue }
      return year * 10_000 + monthNumber * 100 + dayNumber
    }
    return 0
  }
}

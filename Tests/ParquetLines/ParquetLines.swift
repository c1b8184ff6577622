import Parquet

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// `ParquetLines FILE`: writes the rows of a Parquet file as lines of JSON, for Tests/Acceptance/Parquet.
@main
enum ParquetLines {
  static func main() {
    let file = CommandLine.arguments.count == 2 ? open(CommandLine.arguments[1], O_RDONLY) : -1
    guard file >= 0 else { return fail("usage: ParquetLines FILE") }
    do {
      let rows = try ParquetRows(ParquetInput(descriptor: file))
      let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
      while case let count = try rows.read(into: room), count > 0 {
        guard write(1, room.baseAddress, count) == count else { return fail("standard output is closed") }
      }
    } catch {
      fail("\(error)")
    }
  }

  private static func fail(_ message: String) {
    _ = (message + "\n").withCString { write(2, $0, strlen($0)) }
    exit(1)
  }
}

#if DEBUG || TOLLGATE_FUZZ
  import Ingest
  #if canImport(Glibc)
    import Glibc
  #else
    import Darwin
  #endif

  /// A file whose content changes with every check. Where the system has files in memory, it is one.
  final class ScratchFile {
    private let descriptor: Int32
    private let path: [UInt8]

    init() {
      #if canImport(Glibc)
        descriptor = memfd_create("fuzz", 0)
        path = Array("/proc/self/fd/\(descriptor)".utf8)
      #else
        var template = Array("/tmp/tollgate-fuzz-XXXXXX".utf8CString)
        descriptor = mkstemp(&template)
        path = template.dropLast().map { UInt8(bitPattern: $0) }
      #endif
      precondition(descriptor >= 0, "no file for the checks: \(String(cString: strerror(errno)))")
    }

    deinit { close(descriptor) }

    /// The file with these bytes.
    func holding(_ bytes: [UInt8]) -> InputFile {
      precondition(ftruncate(descriptor, 0) == 0 && pwrite(descriptor, bytes, bytes.count, 0) == bytes.count)
      return InputFile(pathBytes: path, byteCount: Int64(bytes.count))
    }
  }
#endif

#if DEBUG || TOLLGATE_FUZZ
  import Ingest
  #if canImport(Glibc)
    import Glibc
  #else
    import Darwin
  #endif

  /// A file whose content changes with every check. In memory, where the system has a folder for that.
  final class ScratchFile {
    private let descriptor: Int32
    private let path: [UInt8]

    init() {
      let folder = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
      var template = Array("\(folder)/tollgate-fuzz-XXXXXX".utf8CString)
      descriptor = mkstemp(&template)
      precondition(descriptor >= 0, "no file in \(folder): \(String(cString: strerror(errno)))")
      #if canImport(Glibc)
        // Without a name it is gone when the process ends, however it ends.
        unlink(template)
        path = Array("/proc/self/fd/\(descriptor)".utf8)
      #else
        path = template.dropLast().map { UInt8(bitPattern: $0) }
      #endif
    }

    deinit { close(descriptor) }

    /// The file with these bytes.
    func holding(_ bytes: [UInt8]) -> InputFile {
      precondition(ftruncate(descriptor, 0) == 0 && pwrite(descriptor, bytes, bytes.count, 0) == bytes.count)
      return InputFile(pathBytes: path, byteCount: Int64(bytes.count))
    }
  }
#endif

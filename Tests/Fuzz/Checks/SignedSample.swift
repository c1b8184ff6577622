#if DEBUG || TOLLGATE_FUZZ
  enum SignedSample {
    static let root = ""
    static let texts: [String] = []
  }
#endif

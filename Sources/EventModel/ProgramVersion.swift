/// The version of the program, and of its private data in stores.
public let programVersion = "0.1.0"

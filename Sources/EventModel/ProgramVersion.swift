/// The version of the program, and of what it keeps in stores for itself.
public let programVersion = "0.1.0"

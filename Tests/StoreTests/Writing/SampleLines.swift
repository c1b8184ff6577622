import FolderSupport
import Foundation
import Simulation

/// The lines of a small sample of all four apps, generated once.
let sampleLines: [[UInt8]] = {
  do {
    return try withTemporaryDirectory { directory in
      let options = SampleOptions(seed: 11, size: .persons(280), days: 60, compression: .none, threads: 1)
      try SampleWriter(options: options).write(to: directory.path)
      return try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted().flatMap { name in
        try Data(contentsOf: directory.appendingPathComponent(name)).split(separator: 0x0A).map { Array($0) }
      }
    }
  } catch {
    preconditionFailure("the sample cannot be written: \(error)")
  }
}()

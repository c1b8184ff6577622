import Foundation
import Testing

@testable import Cluster

/// Checks that rows pass through pipes in order and complete, with background reading and writing.
@Suite struct RowOutputTests {
  /// Writes many megabytes of small and large rows, some ready and some created later.
  @Test func rowsComeThroughAPipeInOrder() throws {
    let pipe = Pipe()
    let large = [UInt8](repeating: UInt8(ascii: "x"), count: 3_000_000)
    let descriptor = pipe.fileHandleForWriting.fileDescriptor
    let writer = Thread {
      do {
        let output = RowOutput(descriptor: descriptor)
        for number in 0..<40_000 {
          if number.isMultiple(of: 2_000) {
            // Created while earlier rows may still be waiting.
            try output.append(rows: 1, byteCount: large.count) {
              let rows = RowText()
              rows.append(number)
              rows.append(large)
              rows.endRow()
              return rows
            }
          } else {
            output.append(number)
            output.append("tab\there")
            try output.endRow()
          }
        }
        try output.end(RowInput(descriptor: -1))
      } catch {
        Issue.record(error)
      }
      try? pipe.fileHandleForWriting.close()
    }
    writer.start()
    let input = RowInput(descriptor: pipe.fileHandleForReading.fileDescriptor)
    for number in 0..<40_000 {
      #expect(try input.next(columns: 2))
      #expect(try input.integer(0) == Int64(number))
      let value = try input.bytes(1)
      #expect(number.isMultiple(of: 2_000) ? value == large : value == Array("tab\there".utf8))
      // The writer waits for a slow reader.
      if number == 10_000 { usleep(50_000) }
    }
    #expect(try input.next(columns: 5))
    #expect(try input.text(0) == "end" && input.integer(4) == 40_000)
    #expect(try !input.next(columns: 1))
  }

  @Test func whatCannotBeWrittenIsTold() {
    let fault = #expect(throws: WorkerFault.self) {
      let output = RowOutput(descriptor: -1)
      for _ in 0..<100_000 {
        output.append("some text")
        try output.endRow()
      }
      try output.end(RowInput(descriptor: -1))
    }
    #expect(fault?.description == "the output cannot be written: Bad file descriptor" && fault?.status == .io)
  }

  @Test func whatCannotBeReadIsTold() {
    let fault = #expect(throws: WorkerFault.self) { try RowInput(descriptor: -1).next(columns: 1) }
    #expect(fault?.description == "the input cannot be read: Bad file descriptor" && fault?.status == .io)
  }

  /// If creating rows later fails, nothing after them is written.
  @Test func aFaultOfRowsMadeLaterIsTold() throws {
    let pipe = Pipe()
    let output = RowOutput(descriptor: pipe.fileHandleForWriting.fileDescriptor)
    output.append("first")
    try output.endRow()
    try output.append(rows: 1, byteCount: 1) { throw WorkerFault(.data, "row 7: is wrong") }
    let fault = #expect(throws: WorkerFault.self) { try output.end(RowInput(descriptor: -1)) }
    #expect(fault?.description == "row 7: is wrong")
    try pipe.fileHandleForWriting.close()
    #expect(try pipe.fileHandleForReading.readToEnd() == Data("first\n".utf8))
  }

  /// An abandoned output and an input that is not read to its end leave no running thread.
  @Test func whatIsGivenUpEnds() throws {
    let pipe = Pipe()
    var output: RowOutput? = RowOutput(descriptor: pipe.fileHandleForWriting.fileDescriptor)
    output?.append("never written")
    output = nil
    try pipe.fileHandleForWriting.write(contentsOf: Data("a\nb\n".utf8))
    try pipe.fileHandleForWriting.close()
    var input: RowInput? = RowInput(descriptor: pipe.fileHandleForReading.fileDescriptor)
    #expect(try input?.next(columns: 1) == true)
    input = nil
  }
}

import Testing

@testable import Simulation

struct SampleIdentifierTests {
  @Test func nothingCollides() {
    let key: UInt64 = 0x1234_5678_9abc_def0
    let persons = 0..<60_000
    #expect(Set(persons.map { SampleIdentifier.personCode(key: key, person: $0) }).count == persons.count)
    let words = persons.flatMap { person in
      (0..<4).map { SampleIdentifier.eventWord(key: key, person: person, serial: $0) }
    }
    #expect(Set(words).count == words.count)
    let transactions = persons.flatMap { person in
      (1...4).map { SampleIdentifier.transaction(key: key, person: person, serial: $0) }
    }
    #expect(Set(transactions).count == transactions.count)
    #expect(transactions.allSatisfy { String($0).count == 15 })
  }

  @Test func uuidHoldsTheWordAndTheNode() {
    var bytes: [UInt8] = []
    SampleIdentifier.appendUUID(0x0123_4567_89ab_cdef, node: Array("a1b2c3d4e5f6".utf8), to: &bytes)
    #expect(String(decoding: bytes, as: UTF8.self) == "01234567-89ab-8cde-8f00-a1b2c3d4e5f6")
  }
}

internal import EventModel
internal import Lifecycle

/// The dictionaries of the persons that a worker folds, merged from many batches.
struct PartitionDictionaries {
  private(set) var names = ByteInterner()
  private var contexts = RowInterner<ContextNames>()
  private(set) var clients = RowInterner<ClientNames>()
  private var terms = RowInterner<TermsNames>()
  private(set) var properties = ByteInterner()
  private(set) var forFold = EventDictionaries()
  /// By number: an event with these terms in canonical JSON; empty until it is first used.
  private var termsText: [[UInt8]] = []

  init() {
    // Like a store: 0 is absent, 1 is unattributed, and an event may have no context.
    _ = names.intern("(unattributed)")
    _ = contexts.intern(ContextNames())
    _ = clients.intern(ClientNames())
    _ = terms.intern(TermsNames())
    termsText.append([])
  }

  /// Entries of all dictionaries, which determine their memory.
  var count: Int { names.count + contexts.rows.count + clients.rows.count + terms.rows.count + properties.count }

  mutating func number(ofName name: [UInt8]) -> NameID {
    name.withUnsafeBytes { NameID(names.intern($0)) }
  }

  /// The numbers of a batch, translated to this dictionary's.
  struct Numbers {
    var contexts: [Int32] = []
    var clients: [Int32] = []
    var terms: [Int32] = []
    var properties: [Int32] = []
  }

  mutating func resolve(_ batch: EventBatch) -> Numbers {
    var names: [UInt32] = []
    names.reserveCapacity(batch.names.count)
    for index in 0..<UInt32(batch.names.count) {
      names.append(batch.names.withBytes(index) { self.names.intern($0) })
    }
    var numbers = Numbers()
    for row in batch.contexts.rows {
      let known = contexts.rows.count
      let number = contexts.intern(row.mapNames { Int32(names[Int($0)]) })
      if contexts.rows.count > known { forFold.contexts.append(Context(contexts.rows[known])) }
      numbers.contexts.append(Int32(number))
    }
    for row in batch.clients.rows {
      let known = clients.rows.count
      let number = clients.intern(row.mapNames { Int32(names[Int($0)]) })
      if clients.rows.count > known {
        forFold.clientIsSandbox.append(row.isSandbox)
        forFold.clientApp.append(NameID(clients.rows[known].app))
      }
      numbers.clients.append(Int32(number))
    }
    for row in batch.terms.rows {
      let known = terms.rows.count
      let number = terms.intern(row.mapNames { Int32(names[Int($0)]) })
      if terms.rows.count > known {
        forFold.terms.append(Terms(terms.rows[known]) { self.names[$0] })
        termsText.append([])
      }
      numbers.terms.append(Int32(number))
    }
    for index in 0..<UInt32(batch.properties.count) {
      numbers.properties.append(Int32(batch.properties.withBytes(index) { properties.intern($0) }))
    }
    return numbers
  }

  /// Returns the terms of a payment as an event without other fields (``RecordContents/appendTerms(of:withContext:to:)``).
  mutating func text(ofTerms number: Int32) -> [UInt8] {
    if !termsText[Int(number)].isEmpty { return termsText[Int(number)] }
    let batch = EventBatch()
    var client = ClientNames()
    client.app = names.intern("-")
    batch.names = names
    _ = batch.terms.intern(terms.rows[Int(number)])
    _ = batch.clients.intern(client)
    var record = EventRecord()
    // The fact itself says which kind of payment it is.
    record.kind = .conversion
    batch.withRecordContents { $0.appendTerms(of: record, withContext: false, to: &termsText[Int(number)]) }
    return termsText[Int(number)]
  }
}

internal import GRDB

/// The event ids that were received with several contents, each with its contents in quarantine.
struct ContestedEvents {
  private var contents: [EventIdentity: [ReceivedContent]] = [:]

  var isEmpty: Bool { contents.isEmpty }

  init(_ db: Database) throws {
    for (id, content) in try Conflicts.all(db) { contents[id, default: []].append(content) }
  }

  func has(_ id: EventIdentity) -> Bool { contents[id] != nil }

  /// Returns, for each id whose stored event is not known at the point, the known content that stays, and all other
  /// known contents.
  ///
  /// - Parameter kept: The ids whose stored event is known at the point.
  func settled(
    _ isKnown: (_ file: Int64, _ reception: Int64) -> Bool, kept: Set<EventIdentity>
  ) -> HistoricalStore.Contents {
    var winners: [ReceivedContent] = []
    var quarantined: [(id: EventIdentity, content: ReceivedContent)] = []
    for (id, all) in contents {
      var known = all.filter { isKnown($0.file, $0.reception) }
      let isMutable = Reception.isOfMutableRow(id.id)
      known.sort { $0.precedes($1, isMutable: isMutable) }
      if !kept.contains(id), !known.isEmpty { winners.append(known.removeFirst()) }
      quarantined += known.map { (id: id, content: $0) }
    }
    return (winners, quarantined)
  }
}

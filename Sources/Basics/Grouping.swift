extension Sequence {
  /// Groups the elements, in the order in which their keys first occur.
  public func inGroups<Key: Hashable>(by key: (Element) -> Key) -> [(key: Key, values: [Element])] {
    var groups: [(key: Key, values: [Element])] = []
    var places: [Key: Int] = [:]
    for element in self {
      let key = key(element)
      let place = places[key] ?? groups.count
      if place == groups.count {
        places[key] = place
        groups.append((key, []))
      }
      groups[place].values.append(element)
    }
    return groups
  }
}

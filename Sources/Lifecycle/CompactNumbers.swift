/// A place in a list in half the space; no user has as many as 2^31 events.
@propertyWrapper
struct CompactPlace {
  private var value: Int32

  @inline(__always)
  init(wrappedValue: Int) { value = Int32(wrappedValue) }

  @inline(__always)
  var wrappedValue: Int {
    get { Int(value) }
    set { value = Int32(newValue) }
  }
}

/// A place in a list or none, in a quarter of the space.
@propertyWrapper
struct CompactPlaceOrNone {
  private var valueOrLess: Int32

  init(wrappedValue: Int? = nil) { valueOrLess = wrappedValue.map { Int32($0) } ?? -1 }

  var wrappedValue: Int? {
    get { valueOrLess < 0 ? nil : Int(valueOrLess) }
    set { valueOrLess = newValue.map { Int32($0) } ?? -1 }
  }
}

/// Places in a list in half the space.
struct CompactPlaces: RandomAccessCollection {
  private var values: ArraySlice<Int32>

  init(_ values: ArraySlice<Int32>) { self.values = values }

  var startIndex: Int { values.startIndex }
  var endIndex: Int { values.endIndex }
  subscript(index: Int) -> Int { Int(values[index]) }
  subscript(range: Range<Int>) -> CompactPlaces { CompactPlaces(values[range]) }
}

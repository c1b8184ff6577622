/// The key of a row that is also split into ranges with their own order.
struct BucketKey: Hashable {
  var row: RowKey
  var split: Int
  var bucket: Int
}

extension ReportQuery {
  /// Returns sums as report rows, in byte order of the key columns, then in the order of the ranges.
  ///
  /// - Parameters:
  ///   - labels: The labels of a range, one or more columns.
  ///   - values: The values after the labels.
  func rows<Sums>(
    _ sumsOfRows: [BucketKey: Sums], labels: (BucketKey) -> [String], _ values: (BucketKey, Sums) -> [ReportValue]
  ) -> [[ReportValue]] {
    let named = sumsOfRows.map { (names: self.labels($0.key.row), key: $0.key, sums: $0.value) }
    let sorted = named.sorted { left, right in
      if precedesInBytes(left.names, right.names) { return true }
      if precedesInBytes(right.names, left.names) { return false }
      return (left.key.split, left.key.bucket) < (right.key.split, right.key.bucket)
    }
    return sorted.map { row in
      (row.names + labels(row.key)).map(ReportValue.text) + values(row.key, row.sums)
    }
  }
}

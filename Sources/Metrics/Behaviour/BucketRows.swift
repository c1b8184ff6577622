/// The key of a row that is also split into ranges with their own order.
struct BucketKey: Hashable {
  var row: RowKey
  var split: Int
  var bucket: Int
}

extension ReportQuery {
  /// Returns sums as rows, in byte order of the dimensions' keys, then in the order of the ranges.
  ///
  /// - Parameters:
  ///   - names: The names of the ranges' key columns.
  ///   - labels: Returns the labels of a range.
  func rows<Sums>(
    _ sumsOfRows: [BucketKey: Sums], keys names: [String], _ labels: (BucketKey) -> [String]
  ) -> SumsRows<Sums> {
    let ordered = sumsOfRows.sorted { ($0.key.split, $0.key.bucket) < ($1.key.split, $1.key.bucket) }
    return rows(ordered.map { (key: $0.key.row, labels: labels($0.key), sums: $0.value) }, keys: names)
  }
}

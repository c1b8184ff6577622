/// The decimals of the currencies whose minor unit is not a hundredth.
///
/// Source: ISO 4217, list one.
public let unusualMinorUnits: [String: Int] = {
  var decimals: [String: Int] = [:]
  for (count, codes) in [
    (0, "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF"), (3, "BHD IQD JOD KWD LYD OMR TND"),
    (4, "CLF UYW"),
  ] {
    for code in codes.split(separator: " ") { decimals[String(code)] = count }
  }
  return decimals
}()

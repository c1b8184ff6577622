import Basics

/// Options of other tools, answered by this program's own.
enum WordsOfOtherTools {
  private static let own = [
    "--json": "--format json", "--csv": "--format csv", "--group-by": "--by", "--groupby": "--by",
    "--filter": "--where", "--days": "--last Nd", "--since": "--from", "--until": "--to", "--start": "--from",
    "--end": "--to", "--port": "--listen HOST:PORT", "--host": "--listen HOST:PORT", "--out": "--output",
    "-o": "--output", "--dir": "--output", "--metric": "--columns", "--metrics": "--columns", "--fields": "--columns",
    "--db": "--store", "--database": "--store", "--form": "--format", "--fmt": "--format",
  ]

  /// Returns what to say instead of an unknown option that a message names; `nil` for others.
  static func answer(to message: String) -> String? {
    guard let name = message.firstMatch(of: #/Unknown option '(-[a-z-]+)/#)?.1, let own = own[String(name)] else {
      return nil
    }
    return "\(name) is not an option; use \(own)"
  }
}

extension Quarantine {
  /// Returns what to do about the lines of a reason, in one sentence.
  public static func fix(_ reason: String) -> String {
    let parts = reason.split(separator: ":", maxSplits: 1).map(String.init)
    let field = parts.count > 1 ? parts[1].trimmingPrefix(" ") : ""
    switch parts.first {
    case "line_too_long": return "Shorten lines to at most 1 MiB, for example by leaving out large properties."
    case "invalid_utf8": return "Save the file as UTF-8."
    case "nul": return "Remove NUL characters from the text."
    case "not_json_object": return "Write one complete JSON object on each line."
    case "csv_cells": return "Give each row as many cells as the header; quote cells that contain the separator."
    case "csv_quotes": return "Put the whole cell into double quotes, and double each quote inside it."
    case "field_twice": return "Send `\(field)` once in each event."
    case "missing": return missing(String(field))
    case "invalid": return "Send \(form[String(field)] ?? "a value of `\(field)` that the event format allows")."
    case "placeholder":
      return
        "Send real ids, not `undefined`, `null`, `anonymous` or zeros; in a mapping, name a second column of ids, such "
        + "as `user: [user_id, anonymous_id]`."
    case "unknown_kind":
      return "Use one of tollgate's event names, or map yours with --mapping."
    case "price_without_currency": return "Send `currency`, such as USD, with every price above 0."
    case "conflict":
      return "Give each event an `event_id` of its own; if contents differ, the one received first counts."
    case "not mapped":
      return
        "Leave it if no report needs it. If you read the file with a mapping, add the event's name there, under `events`, or under "
        + "`ignore` to skip it."
    case "bad_signature":
      return "Check --bundle-id and --root-certificate; if you trust the file, ingest it without --verify."
    default: return "Compare the line with the event format: `tollgate quarantine show ID`."
    }
  }

  private static func missing(_ field: String) -> String {
    switch field {
    case "plan":
      return "Send `plan`, or name it by product: for a service's file, run `tollgate quarantine retry --plan "
        + "PRODUCT=PLAN`; for a mapped file, `tollgate ingest --mapping MAPPING --plan PRODUCT=PLAN FILE`."
    case "app": return "Send `app`; for a service's file, run `tollgate quarantine retry --app NAME`."
    case "refunds":
      return "Export the charges with their refunds: `stripe charges list --limit 100 --expand data.refunds "
        + "> charges.json`."
    case "charge.customer":
      return "Export the refunds with their charges: `stripe refunds list --limit 100 --expand data.charge "
        + "> refunds.json`."
    case "purchase_price_in_purchased_currency":
      return
        "Export the transactions again in RevenueCat's newest format, which has the prices of refunded payments."
    case "trial_days": return "Send `trial_days`, such as 7, or `trial_ends_at` with every trial."
    default:
      return
        "`\(field)` is missing or empty. Send it with every event of this kind, or map the column that has it with --mapping."
    }
  }

  /// The accepted form of fields that are often wrong.
  private static let form = [
    "ts": "the time of the event (`ts`) with an offset, such as 2026-03-01T09:00:00Z, or as milliseconds since 1970",
    "received_at": "`received_at` with an offset, such as 2026-03-01T09:00:00Z, or as milliseconds since 1970",
    "expires_at": "`expires_at` as an instant later than `ts`, such as 2026-04-01T09:00:00Z",
    "trial_ends_at": "`trial_ends_at` as an instant later than `ts`, such as 2026-03-08T09:00:00Z",
    "trial_days": "`trial_days` as a whole number from 1 to 366",
    "country": "`country` as two letters, such as DE",
    "currency": "`currency` as three letters, such as USD",
    "price": "`price` as a number of 0 or more, such as 19.99",
    "plan": "`plan` as weekly, monthly, two_month, quarterly, semiannual, yearly or lifetime",
    "environment": "`environment` as production or sandbox",
    "trial_kind": "`trial_kind` as introductory or app, or leave it out for introductory",
    "user_id": "`user_id` as text of at most 200 bytes",
    "event_id": "`event_id` as text of at most 200 bytes",
  ]
}

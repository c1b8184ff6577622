import Basics
import EventModel
import Foundation
import Ingest
import Metrics
import Store

/// Shows the first funnel, or why there is none, and what to type next.
extension InitCommand {
  /// Returns the command that reads the files again, into a new store, with the options that warnings name.
  ///
  /// - Parameter option: One more option, as it is typed.
  func again(_ parts: [Part], with option: String? = nil) -> String {
    var words: [String] = []
    var isValue = false
    let replaced = ["--store", option?.hasPrefix("--app ") == true ? "--app" : "--store"]
    for word in CommandLine.arguments.dropFirst(2) {
      let isReplaced = replaced.contains(where: { word == $0 || word.hasPrefix("\($0)=") })
      if !isValue, !isReplaced, word != "--yes", word != "--force" { words.append(word) }
      isValue = !isValue && replaced.contains(word)
    }
    let own = Self.options(thatTake: parts) + [option].compactMap(\.self) + words.map(\.shellWord)
    return "tollgate init --yes --force --store \(CommonOptions.newStore) \(own.joined(separator: " "))"
  }

  /// Says that the files of a service are of another app than the one that is assumed for other files; `nil` if they are not.
  ///
  /// - Parameter examples: Events of each part.
  func otherApps(_ parts: [Part], _ examples: [IngestPreview.Examples]) -> String? {
    let assumed = parts.first { part in
      part.group.needsApp
        || app == nil && part.proposal?.questions.contains { if case .app = $0 { true } else { false } } ?? false
    }
    guard let assumed, let own = app ?? assumed.proposal?.app else { return nil }
    for (part, found) in zip(parts, examples) where part.proposal == nil && !part.group.needsApp {
      let apps = Set(
        found.examples.values.compactMap { event in
          (try? JSONSerialization.jsonObject(with: Data(event.utf8)) as? [String: Any])?["app"] as? String
        })
      guard !apps.isEmpty, !apps.contains(own) else { continue }
      let other = apps.sorted()[0]
      return
        "\(part.group.files[0].path) is of the app \(other), and for \(assumed.group.files[0].path) the app \(own) is "
        + "\(app == nil ? "assumed" : "given"), so the funnel does not count them together. If they are one app:\n  "
        + again(parts, with: "--app \(other.shellWord)")
    }
    return nil
  }

  /// Returns the options that take the records that are left out, each once.
  private static func options(thatTake parts: [Part]) -> [String] {
    parts.flatMap { $0.proposal?.options ?? [] }.inGroups(by: \.self).map(\.key)
  }

  /// Says that files are stored already, and how to read them with another mapping.
  func showKnown(_ parts: [Part], _ ingested: [IngestSummary]) {
    let these = ingested.map(\.filesSkipped).reduce(0, +) == 1 ? "This file is" : "These files are"
    if ingested.allSatisfy(\.readAgain.isEmpty) {
      printShown("\(these) already in \(common.storePath), read in the same way: nothing changed.\n")
      return
    }
    let events = ingested.map(\.events).reduce(0, +)
    printShown(
      "\(these) already in \(common.storePath). Stored events stay as they are"
        + (events > 0 ? "; \(counted(events, "event")) were added from records that were left out before" : "")
        + ". To read everything in the new way, use a new store:\n  \(again(parts))\n")
  }

  /// Returns why the funnel is withheld.
  static func withheld(_ missing: [String]) -> String {
    "No funnel: its shares would be too low, because these are left out: \(missing.joined(separator: ", "))"
  }

  /// Returns whether paywall views have variants, and nothing names their experiment.
  private func lacksExperiment(_ parts: [Part]) -> Bool {
    parts.contains { part in
      guard let proposal = part.proposal, !proposal.namesExperiment else { return false }
      return proposal.columns.contains { $0.field == EventField.variant.name && $0.distinct > 1 }
    }
  }

  /// The option that `ingest` needs to read the mapping alike.
  private var superwallWords: String { superwall.money == .sdk ? " --superwall-money sdk" : "" }

  /// - Parameter hasNewMapping: Whether the events were stored by another mapping, whose funnel may lack what this one reads.
  func showNext(_ parts: [Part], _ ingested: [IngestSummary], hasNewMapping: Bool) throws {
    let store = common.storeWords
    guard !ingested.isEmpty else {
      printShown("Nothing is stored yet. To store this:")
      let words = CommandLine.arguments.dropFirst(2).filter { !["--no-ingest", "--yes"].contains($0) }.map(\.shellWord)
      printShown("  tollgate init --yes \(words.joined(separator: " "))")
      for part in parts {
        guard let mapping = part.mappingPath else { continue }
        let names = parts.count == 1 ? paths : part.group.files.map(\.path)
        let files = names.map(\.shellWord).joined(separator: " ")
        printShown(
          "If you change the mapping: tollgate ingest\(store)\(superwallWords) --mapping \(mapping.shellWord) \(files)")
      }
      return
    }
    let apps = Set(parts.compactMap { $0.proposal?.app } + [app].compactMap { $0 })
    let hasVariant = parts.contains { part in
      part.proposal.map { $0.experimentOfExposures == nil && $0.fields.contains { $0.name == "variant" } } ?? true
    }
    if !hasVariant, let experiment = parts.lazy.compactMap({ $0.proposal?.experimentOfExposures }).first {
      printShown(
        "! paywall views have no variant, as only exposures have one, so the funnel is not by variant; "
          + "`tollgate experiment \(experiment.shellWord)\(store)` compares the variants")
    }
    let hasEntry = parts.contains { part in part.proposal?.fields.contains { $0.name == "entry_point" } ?? true }
    let paywall = parts.lazy.compactMap { $0.proposal?.fields.first { $0.name == "paywall" } }.first
    let missing = Self.leftOut(of: parts, ingested)
    var funnel = ReportRequest(.funnel)
    funnel.options.by = hasVariant ? [.variant] : hasEntry ? [.entryPoint] : paywall == nil ? [] : [.paywall]
    if !hasVariant, let paywall, !hasEntry || !paywall.isSure {
      let option = "--set \("variant=\(paywall.path)".shellWord)"
      printShown("no column is the variant; if \(paywall.path) has variants: `\(option)`")
    } else if !hasVariant, let first = parts.lazy.compactMap({ $0.proposal?.likelyVariants.first }).first {
      let likely = parts.flatMap { $0.proposal?.likelyVariants ?? [] }.prefix(3).joined(separator: " or ")
      printShown("no column is the variant; if \(likely) has variants: `--set \("variant=\(first)".shellWord)`")
    }
    if apps.count == 1 { funnel.options.apps = Array(apps) }
    funnel.isForPeople = true
    if hasNewMapping {
      printShown("The funnel of the stored events: tollgate funnel\(store)")
    } else if missing.isEmpty {
      // The report is written past the buffer of `print`.
      fflush(nil)
      let output = try OutputArguments.parse([])
      try output.write(Store.open(readOnly: common.storePath).read { try output.text(funnel.printed($0)) })
    } else {
      printShown(Self.withheld(missing))
      let knowsOptions = !Self.options(thatTake: parts).isEmpty
      let hasOptions = knowsOptions || parts.contains { !($0.proposal?.leftOut.isEmpty ?? true) }
      let options = knowsOptions ? "the options that take them" : "an option of a line with !"
      printShown(
        hasOptions
          ? "Run this again with \(options), into a new store:\n  \(again(parts))"
          : "Which records these are, and why: tollgate quarantine list\(store)")
      if hasOptions { return }
    }
    // Files that the store had already have no counts of kinds.
    let lacks = ingested.allSatisfy(\.kinds.isEmpty) ? [] : Self.lacks(ingested)
    let reports = [("trials", "tollgate trials"), ("revenue", "tollgate revenue --by month")].filter {
      !lacks.contains($0.0)
    }
    printShown("\nNext:\n" + (reports.map(\.1) + ["tollgate serve"]).map { "  \($0)\(store)" }.joined(separator: "\n"))
    if ingested.contains(where: { $0.quarantinedLines > 0 }) {
      printShown("Rejected records: tollgate quarantine list\(store)")
    }
    if !hasNewMapping, missing.isEmpty, hasVariant, lacksExperiment(parts) {
      printShown(
        "The variants belong to no experiment. To compare them, give it a name, then run `tollgate experiment my_test`:\n"
          + "  \(again(parts, with: "--set 'experiment={value: my_test}'"))")
    }
    if missing.isEmpty, parts.contains(where: { $0.proposal?.warnings.contains { $0.contains("`--") } ?? false }) {
      printShown("To read the files with an option of a line with !, add it to this:\n  \(again(parts))")
    }
    let later = parts.compactMap(\.mappingPath).map {
      "\n  tollgate ingest\(store)\(superwallWords) --mapping \($0.shellWord) FILE..."
    }
    if !later.isEmpty { printShown("For later files:" + later.joined()) }
  }
}

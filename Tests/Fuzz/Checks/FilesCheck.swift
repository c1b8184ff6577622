#if DEBUG || TOLLGATE_FUZZ
  import EventModel
  @testable import Ingest

  /// A whole file of any format and compression: its events, rejected lines and outcome do not depend on how many bytes are
  /// read and unpacked at once, nor on the size of batches.
  struct FilesCheck: FuzzCheck {
    private struct Content: Equatable {
      var events: [[UInt8]] = []
      var rejected: [String] = []
      var outcome = "none"
      var lineCount = 0
    }

    private let file = ScratchFile()
    private let reencoding = Reencoding()

    mutating func check(_ bytes: [UInt8]) throws(FuzzProblem) -> Int {
      let input = file.holding(bytes)
      let whole = try read(input, block: 64 << 10, chunk: 64 << 10, records: 131_072)
      let parts = try read(input, block: 16, chunk: 113, records: 2)
      if whole != parts {
        throw FuzzProblem("in large blocks \(said(whole)), in small ones \(said(parts))")
      }
      return whole.outcome == "complete" ? whole.events.count : 0
    }

    private func read(_ input: InputFile, block: Int, chunk: Int, records: Int) throws(FuzzProblem) -> Content {
      let reader = BatchReader(
        inputs: [input], sources: SourceSettings(app: "steps", plans: ["pro": "monthly"]), knownDigests: [],
        batchRecordLimit: records, batchByteLimit: 64 << 20, blockByteCount: block, chunkByteCount: chunk)
      var content = Content()
      do {
        while let batch = try reader.next() {
          _ = try reencoding.check(batch)
          for part in batch.parts {
            for record in batch.records[part.records] {
              content.events.append(batch.canonicalJSON(of: record))
            }
            content.rejected += part.rejected.map { "\($0.line):\($0.reason):\($0.field ?? ""):\($0.raw)" }
            switch part.outcome {
            case .unfinished: break
            case .complete: content.outcome = "complete"
            case .failed(let reason): content.outcome = "failed: \(reason)"
            case .alreadyRead: throw FuzzProblem("read before")
            }
            if part.outcome != .unfinished { content.lineCount = part.lineCount }
          }
        }
      } catch let problem as FuzzProblem {
        throw problem
      } catch {
        throw FuzzProblem("the reader stops at a file: \(error)")
      }
      // Nothing of a failed file counts; what of it was read by then may differ.
      return content.outcome.hasPrefix("failed") ? Content(outcome: "failed") : content
    }

    private func said(_ content: Content) -> String {
      "\(content.outcome), \(content.lineCount) lines, "
        + content.events.map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ") + " "
        + content.rejected.joined(separator: " ")
    }
  }
#endif

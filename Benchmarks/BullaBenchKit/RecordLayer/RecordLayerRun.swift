internal import Bulla
internal import BullaText
internal import Foundation

/// Measures the cost of encrypted fields, and that of assets, in records.
package struct RecordLayerRun: Codable, Sendable {
    package var recordCount = 4_000
    package var assetByteCount = 50 << 20
    /// How many rounds the slow measurements have; the others have four times as many.
    package var roundCount = 5
    package var directory = "."

    package init() {}

    package func result(_ tell: (String) -> Void) throws -> RecordLayerResult {
        let scratch = try Scratch(under: directory, isKept: false)
        let machine = Machine(directory: try Folder.absolute(directory))
        let (start, load) = (Clock.now, MachineLoad.now())
        var rows: [SealingRow] = []
        do {
            tell("the same records plain and with encrypted fields")
            let sides = try RecordFieldForm.allCases.map {
                try RecordLayerSide($0, recordCount: recordCount, in: scratch)
            }
            // Closes the stores before their folder is removed, because a store may still have to
            // flush.
            defer { for side in sides { try? side.store.close() } }
            for work in RecordTask.allCases { rows += try self.rows(work, sides) }
            tell("assets of \(Format.bytes(assetByteCount))")
            rows += try AssetCosts(self, sides[1]).rows()
        } catch {
            throw error is BenchError ? error : BenchError(.store, "\(error)")
        }
        return RecordLayerResult(
            settings: self, machine: machine, noise: MachineNoise(from: load, to: .now()),
            seconds: Double(Clock.now - start) / 1e9, rows: rows,
            verdict: Verdict(all: rows.compactMap(\.verdict)))
    }

    private func rows(_ work: RecordTask, _ sides: [RecordLayerSide]) throws -> [SealingRow] {
        var random = Random(seed: 1)
        let order = random.permutation(recordCount)
        let works = sides.map { side in { try side.time(work, order) } }
        for work in works { _ = try work() }
        let times = try SealingRun.inTurn(4 * roundCount, works)
        let unit = SealingRow.Unit.processorNanoseconds
        var rows = zip(sides, times).map { side, rounds in
            SealingRow(
                "\(work)", side.fields.rawValue, rounds, unit: unit,
                over: side.fields == .plain ? nil : times[0])
        }
        rows.append(
            SealingRow(
                "\(work)", "beyond plain", times[1], unit: unit, over: times[0], isBeyond: true,
                aim: work == .save ? (.figure, 6_000) : nil))
        return rows
    }
}

/// The whole result of a run, for machines; its schema is versioned like that of ``BenchResult``.
package struct RecordLayerResult: Codable, Sendable {
    package static let schemaName = "bulla-bench.records"
    package static let currentVersion = 1

    package var schema = Self.schemaName
    package var schemaVersion = Self.currentVersion
    package var settings: RecordLayerRun
    package var machine: Machine
    package var noise: MachineNoise
    package var seconds: Double
    package var rows: [SealingRow]
    package var verdict: Verdict

    /// As JSON with its keys sorted.
    package func json() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(self)) + [UInt8(ascii: "\n")]
    }

    package var lines: [String] { SealingRow.lines(rows, noise, verdict) }
}

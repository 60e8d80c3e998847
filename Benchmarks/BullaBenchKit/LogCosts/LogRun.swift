internal import BullaText
internal import Foundation

/// Measures what a log costs and what it gains: commits during checkpoints, reads over memtables,
/// opening after a kill, and commits that change several trees.
package struct LogRun: Codable, Sendable {
    package var recordCount = 300_000
    /// About how many bytes wait for a checkpoint when the log is full.
    package var logByteCount = 64 << 20
    package var roundCount = 5
    /// How long each series of commits is timed, unless it ends with a checkpoint.
    package var sliceNanoseconds: UInt64 = 1_000_000_000
    package var directory = "."
    /// The program that each worker of the run executes.
    package var program: String

    package init(program: String) { self.program = program }

    package func result(_ tell: (String) -> Void) throws -> RowResult<Self> {
        let scratch = try Scratch(under: directory, isKept: false)
        return try RowResult(RowResultName.log, self, directory) {
            tell("making \(recordCount) records")
            let records = LogRecords(count: recordCount)
            let forms = try LogForm.all(self, scratch)
            tell("commits beside checkpoints")
            var rows = try CheckpointCosts(self, records, forms).rows()
            tell("reads beside full and empty memtables")
            rows += try MemtableCosts(self, records, forms).rows()
            tell("opening after a kill")
            rows += try RecoveryCosts(self, records, forms).rows()
            tell("commits that change three trees")
            return try rows + TreeCosts(self, records, forms).rows()
        }
    }
}

/// A form of stores (plain or encrypted), and where a run keeps its stores of that form.
struct LogForm: Sendable {
    let name: String
    private let key: String?
    private let scratch: Scratch
    private let logByteCount: Int

    /// The plain form, then the encrypted one.
    static func all(_ run: LogRun, _ scratch: Scratch) throws -> [LogForm] {
        try [("plain", nil), ("encrypted", RunKey.random())].map { name, key in
            LogForm(name: name, key: key, scratch: scratch, logByteCount: run.logByteCount)
        }
    }

    func place(_ name: String, treeCount: Int = 1) -> LogStorePlace {
        LogStorePlace(
            path: scratch.file("\(name)-\(self.name).bulla"), key: key, treeCount: treeCount,
            logByteCount: logByteCount)
    }
}

package enum RowResultName: String, Codable, Sendable {
    case log = "bulla-bench.log"
    case growth = "bulla-bench.growth"
    case objects = "bulla-bench.objects"
}

/// The whole result of a run, for machines to read; its schema is versioned like that of
/// ``BenchResult``.
package struct RowResult<Settings: Codable & Sendable>: Codable, Sendable {
    package var schema: RowResultName
    package var schemaVersion = 1
    package var settings: Settings
    package var machine: Machine
    package var noise: MachineNoise
    package var seconds: Double
    package var rows: [SealingRow]
    package var verdict: Verdict

    /// Gets the rows from `measure`; any error that it throws becomes a ``BenchError``.
    package init(
        _ name: RowResultName, _ settings: Settings, _ directory: String,
        _ measure: () throws -> [SealingRow]
    ) throws {
        (schema, self.settings) = (name, settings)
        machine = Machine(directory: try Folder.absolute(directory))
        let (start, load) = (Clock.now, MachineLoad.now())
        do {
            rows = try measure()
        } catch {
            throw error is BenchError ? error : BenchError(.store, "\(error)")
        }
        noise = MachineNoise(from: load, to: .now())
        seconds = Double(Clock.now - start) / 1e9
        verdict = Verdict(all: rows.compactMap(\.verdict))
    }

    /// The result as JSON, with its keys sorted.
    package func json() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(self)) + [UInt8(ascii: "\n")]
    }

    package var lines: [String] { SealingRow.lines(rows, noise, verdict) }
}

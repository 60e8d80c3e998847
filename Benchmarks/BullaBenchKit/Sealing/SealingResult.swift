internal import BullaText
internal import Foundation

/// Measures what sealing costs: keys, passwords, vaults, re-encryption.
package struct SealingRun: Codable, Sendable {
    package var recordCount = 10_000
    package var recordByteCount = 200
    /// The size of the store whose slots the run changes, and which it re-encrypts.
    package var largeByteCount = 1 << 30
    /// How many rounds the slow measurements have; the others have two or four times as many.
    package var roundCount = 5
    /// How long each measurement of commits lasts.
    package var commitNanoseconds: UInt64 = 2_000_000_000
    package var directory = "."
    /// The program that the run starts as its workers.
    package var program: String

    package init(program: String) { self.program = program }

    var smallRoundCount: Int { 4 * roundCount }

    package func result(_ tell: (String) -> Void) throws -> SealingResult {
        let scratch = try Scratch(under: directory, isKept: false)
        let machine = Machine(directory: try Folder.absolute(directory))
        let (start, load) = (Clock.now, MachineLoad.now())
        var rows: [SealingRow] = []
        do {
            tell("the same records in five forms, single blobs, passwords")
            rows += try RecordCosts(self, scratch).rows()
            rows += try VaultCosts(self, scratch).rows()
            rows += try PasswordCosts(self, scratch).rows()
            rows += try LargeStoreCosts(self, scratch).rows(tell)
        } catch {
            throw error is BenchError ? error : BenchError(.store, "\(error)")
        }
        return SealingResult(
            settings: self, machine: machine, noise: MachineNoise(from: load, to: .now()),
            seconds: Double(Clock.now - start) / 1e9, rows: rows,
            verdict: Verdict(all: rows.compactMap(\.verdict)))
    }

    /// The samples of each of the `works` in each round; from round to round, their order
    /// alternates between A B C C B A and C B A A B C.
    static func inTurn(_ roundCount: Int, _ works: [() throws -> Double]) throws -> [[[Double]]] {
        var samples = works.map { _ in [[Double]]() }
        for round in 0..<roundCount {
            let there = round % 2 == 0 ? Array(works.indices) : works.indices.reversed()
            for index in works.indices { samples[index].append([]) }
            for index in there + there.reversed() {
                try Interruption.shared.check()
                samples[index][round].append(try works[index]())
            }
        }
        return samples
    }

    /// The nanoseconds that `body` takes.
    static func time(_ body: () throws -> Void) rethrows -> Double {
        let start = Clock.now
        try body()
        return Double(Clock.now - start)
    }

    /// The processor time that all threads use for one of the `count` parts of `body`, on average.
    ///
    /// For work that does not wait, other processes disturb processor time less than elapsed time.
    static func processorTime(of count: Int = 1, _ body: () throws -> Void) rethrows -> Double {
        let start = Clock.processorTime
        try body()
        return Double(Clock.processorTime - start) / Double(count)
    }

    /// The peak of memory while `body` runs, beyond what the process had before.
    static func peakByteCount(_ body: () throws -> Void) throws -> Double {
        // Resets the peak: see proc_pid_clear_refs(5).
        try Descriptor.openShared("/proc/self/clear_refs").write("5\n".utf8)
        let before = peakByteCount
        try body()
        // At least 1, because an interval is computed from logarithms.
        return Double(max(peakByteCount - before, 1))
    }

    private static var peakByteCount: Int {
        SystemText.linux.byteCount(of: "VmHWM", in: "/proc/self/status")
    }
}

/// The whole result of a run, for machines; its schema is versioned like that of ``BenchResult``.
package struct SealingResult: Codable, Sendable {
    package static let schemaName = "bulla-bench.sealing"
    package static let currentVersion = 1

    package var schema = Self.schemaName
    package var schemaVersion = Self.currentVersion
    package var settings: SealingRun
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

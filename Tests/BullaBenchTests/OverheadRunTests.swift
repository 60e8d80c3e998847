import BullaBenchKit
import BullaText
import Foundation
import Testing

/// Runs the built program with small sizes: the figures mean nothing, but everything runs.
@Suite struct `A small run of bulla-bench` {
    @Test(.enabled(if: BenchProgram.isFast))
    func `measures every workload, verifies it and writes what it found`() throws {
        let scratch = try Scratch(under: "/tmp", isKept: false)
        let input = scratch.file("input.csv")
        let rows = (0..<500).map { "\($0),row number \($0)\n" }.joined()
        try Descriptor.create(input).write(Array("id,text\n".utf8) + Array(rows.utf8))
        let json = scratch.file("result.json")
        let output = try BenchProgram.run(
            [
                "overhead", "--records", "2000", "--fields", "2", "--workloads", "all", "--rounds",
                "1", "--time", "1", "--operations", "16", "--workers", "2", "--threads", "2",
                "--input", input, "--json", json, "--directory", scratch.path,
            ], status: .undecided)
        for workload in Self.workloads { #expect(output.contains(workload.rawValue)) }
        #expect(output.contains("Every store was verified"))
        #expect(output.contains("verdict: UNDECIDED"))
        let result = try BenchProgram.result(json)
        #expect(result.schema == BenchResult.schemaName)
        #expect(result.schemaVersion == BenchResult.currentVersion)
        #expect(result.inputs.map(\.recordCount) == [2_000, 500])
        #expect(result.rows.count == 2 * Self.workloads.count)
        for row in result.rows {
            let comparison = try #require(row.comparisons.first)
            #expect(comparison.processorRatios?[0].count == comparison.ratios[0].count)
            #expect(row.figures.allSatisfy { $0.processorNanoseconds > 0 })
            let isTold = ["load", "small-commit-relaxed"].contains(row.workload)
            for figures in row.figures {
                #expect((figures.settledRates != nil) == isTold, "\(row.workload)")
                let settled = figures.settledRates ?? []
                #expect(zip(settled, figures.rates).allSatisfy { $0 < $1 }, "\(row.workload)")
            }
        }
    }

    @Test func `lets a store rest after each slice that writes, before another's begins`() throws {
        let scratch = try Scratch(under: "/tmp", isKept: false)
        try PeerScript.recording.write(to: scratch.file("bulla-peer-lmdb"))
        try PeerScript.silent.write(to: scratch.file("bulla-peer-rocksdb"))
        let output = try BenchProgram.run(
            [
                "peers", "--only", "lmdb,rocksdb", "--programs", scratch.path, "--records", "100",
                "--workloads", "point-read,small-commit", "--rounds", "1", "--workers", "2",
                "--directory", scratch.path,
            ], status: .met)
        #expect(output.contains("skipped: rocksdb with 2 workers: one process alone"))
        let files = try FileManager.default.contentsOfDirectory(atPath: scratch.path)
        let orders = try files.filter { $0.hasSuffix(".orders") }.map { name in
            let text = try String(contentsOfFile: scratch.file(name), encoding: .utf8)
            return text.split(separator: "\n").map { $0.dropFirst(2).prefix { $0 != "\"" } }
        }
        #expect(orders.count == 6, "two workers load, read and commit")
        let rested = orders.map { zip($0, $0.dropFirst()).count { $0 == ("go", "rest") } }
        let started = orders.map { $0.count { $0 == "go" } }
        #expect(zip(rested, started).count { $0 == $1 && $0 > 0 } == 4, "\(orders)")
        #expect(rested.count { $0 == 0 } == 2, "what only reads leaves nothing to be done")
    }

    @Test func `compares a store with itself, slowed`() throws {
        let scratch = try Scratch(under: "/tmp", isKept: false)
        let json = scratch.file("result.json")
        let output = try BenchProgram.run(
            [
                "overhead", "--slowed", "12.5", "--records", "100", "--workloads",
                "load,point-read,scan,small-commit", "--rounds", "1", "--json", json, "--directory",
                scratch.path,
            ], status: .undecided)
        #expect(output.contains("Every store was verified"))
        let result = try BenchProgram.result(json)
        #expect(result.contenders.map(\.name) == ["plain", "slowed"])
        #expect(result.contenders.allSatisfy { !$0.isEncrypted })
    }

    @Test func `refuses an input that it cannot read, and leaves nothing behind`() throws {
        let scratch = try Scratch(under: "/tmp", isKept: false)
        _ = try BenchProgram.run(
            [
                "overhead", "--input", "/nowhere/x.csv", "--records", "0",
                "--directory", scratch.path,
            ], status: .system)
        let left = try FileManager.default.contentsOfDirectory(atPath: scratch.path)
        #expect(left == ["owner"], "the owner file of the test's own folder")
    }

    private static let workloads = Workload.list("all") ?? []
}

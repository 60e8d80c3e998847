import BullaBenchKit
import Foundation
import Testing

/// Runs the built program with small sizes: the figures mean nothing, but everything is measured.
@Suite struct `What a log costs and gives` {
    private static let forms = ["plain", "encrypted"]

    @Test(.enabled(if: BenchProgram.isFast))
    func `is measured for both forms, with a row for each aim`() throws {
        let scratch = try Scratch(under: "/tmp", isKept: false)
        let json = scratch.file("result.json")
        let output = try BenchProgram.measured([
            "log", "--records", "3000", "--log", "4M", "--rounds", "1", "--seconds", "0.05",
            "--directory", scratch.path, "--json", json,
        ])
        let result = try JSONDecoder().decode(
            RowResult<LogRun>.self, from: Data(contentsOf: URL(fileURLWithPath: json)))
        #expect(result.schema == .log && result.schemaVersion == 1)
        #expect(result.settings.recordCount == 3_000)
        for row in result.rows {
            #expect(output.contains(row.name) && output.contains(row.topic))
            #expect(!row.rounds.isEmpty && row.rounds.allSatisfy { !$0.isEmpty }, "\(row.name)")
            #expect((row.aim == nil) == (row.verdict == nil), "\(row.name)")
        }
        let aims = result.rows.filter { $0.aim != nil }.map { "\($0.topic): \($0.name)" }
        #expect(aims == Self.expectedAims)
        // Both of these rows measure one full log.
        for row in result.rows where ["waits when full", "the log that waits"].contains(row.name) {
            let bytes = row.rounds.joined()
            #expect(bytes.allSatisfy { (3_774_000...4_194_304).contains($0) }, "\(row.topic)")
        }
        let left = try FileManager.default.contentsOfDirectory(atPath: scratch.path)
        #expect(Set(left) == ["owner", "result.json"])
    }

    @Test func `is not measured where the options make no sense`() throws {
        for options in [["--records", "1"], ["--log", "64K"], ["--rounds", "0"]] {
            _ = try BenchProgram.run(["log"] + options, status: .usage)
        }
        let nowhere = ["--directory", "/nowhere", "--rounds", "1"]
        _ = try BenchProgram.run(["log"] + nowhere, status: .system)
    }

    private static var expectedAims: [String] {
        var aims: [String] = []
        for form in forms {
            for company in ["a full log's checkpoint", "endless checkpoints"] {
                aims.append("a durable commit, \(form): p99: beside \(company)")
            }
        }
        for form in forms {
            for work in ["read", "scan"] {
                for part in ["a changed", "an unchanged"] {
                    let topic = "\(work) of \(part) \(work == "read" ? "record" : "range"), \(form)"
                    aims.append("\(topic): log just taken over")
                    aims.append("\(topic): memtables full")
                }
            }
        }
        for form in forms {
            aims.append("open after kill -9, \(form): open")
            aims.append("open after kill -9, \(form): open and first read")
        }
        for kind in ["durable", "relaxed"] {
            aims.append("a \(kind) commit, plain: a record of each of three trees")
            aims.append("a \(kind) commit, encrypted: one record")
            aims.append("a \(kind) commit, encrypted: a record of each of three trees")
        }
        return aims
    }
}

/// Runs the built program with small sizes.
@Suite struct `What becomes of loads as stores grow` {
    private static let topics = [
        "a record until acknowledged", "a record until settled", "written a record",
        "files afterwards",
    ]

    @Test(.enabled(if: BenchProgram.isFast))
    func `is measured for each size and contender`() throws {
        let scratch = try Scratch(under: "/tmp", isKept: false)
        let json = scratch.file("result.json")
        _ = try BenchProgram.measured([
            "growth", "--records", "10000,25000", "--rounds", "1", "--only", "none",
            "--log", "256M", "--directory", scratch.path, "--json", json,
        ])
        let result = try JSONDecoder().decode(
            RowResult<GrowthRun>.self, from: Data(contentsOf: URL(fileURLWithPath: json)))
        #expect(result.schema == .growth && result.settings.recordCounts == [10_000, 25_000])
        let contenders = ["bulla", "bulla-encrypted", "bulla-encrypted, log 256M"]
        var all = ["growth from 10000 to 25000"]
        for count in [10_000, 25_000] { all += Self.topics.map { "load \(count), \($0)" } }
        for topic in all {
            let rows = result.rows.filter { $0.topic == topic }
            #expect(rows.map(\.name) == contenders, "\(topic)")
            #expect(rows.allSatisfy { $0.median > 0 }, "\(topic)")
        }
        // A record has 123 bytes, each of which is written at least once.
        for row in result.rows where row.topic.hasSuffix("written a record") {
            #expect(row.median >= 123, "\(row.topic): \(row.name)")
        }
        let left = try FileManager.default.contentsOfDirectory(atPath: scratch.path)
        #expect(Set(left) == ["owner", "result.json"])
    }

    @Test func `is not measured where the options make no sense`() throws {
        for records in ["0", "20,10", "10,10", "x", "10,"] {
            _ = try BenchProgram.run(["growth", "--records", records], status: .usage)
        }
        _ = try BenchProgram.run(["growth", "--log", "1K"], status: .usage)
        _ = try BenchProgram.run(["growth", "--only", "nothing"], status: .usage)
    }
}

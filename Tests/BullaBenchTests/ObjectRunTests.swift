import BullaBenchKit
import BullaObjectRun
import Foundation
import Testing

/// Runs the built program with small sizes: the figures mean nothing, but everything is measured,
/// and objects and hand-coded trees must find the same.
@Suite struct `What objects cost` {
    private static let forms = ["objects, encrypted", "objects, plain", "trees, encrypted"]

    @Test(.enabled(if: BenchProgram.isFast))
    func `is measured for each work, with a row for each aim`() throws {
        let scratch = try Scratch(under: "/tmp", isKept: false)
        let json = scratch.file("result.json")
        let output = try BenchProgram.measured([
            "objects", "--objects", "1000", "--rounds", "1", "--cache", "16M",
            "--programs", scratch.path, "--directory", scratch.path, "--json", json,
        ])
        let result = try JSONDecoder().decode(
            RowResult<ObjectRun>.self, from: Data(contentsOf: URL(fileURLWithPath: json)))
        #expect(result.schema == .objects)
        #expect(result.settings.objectCount == 1_000)
        for row in result.rows {
            #expect(output.contains(row.name) && output.contains(row.topic))
            #expect(!row.rounds.isEmpty && row.rounds.allSatisfy { !$0.isEmpty }, "\(row.name)")
            #expect((row.aim == nil) == (row.verdict == nil), "\(row.name)")
        }
        let own = Self.forms.dropFirst()
        let names = Array(own) + own.map { "\(Self.forms[0]) / \($0)" }
        let topics = Dictionary(grouping: result.rows, by: \.topic).mapValues { $0.map(\.name) }
        // One topic for each kind of work, a second one (until settled) for each of the four kinds
        // that write, and two for what another process sees.
        #expect(topics.count == ObjectRun.workNames.count + 4 + 2)
        for work in ["fetch by key", "sort by index, first 20", "count by range"] {
            #expect(topics[work] == names)
        }
        #expect(topics["insert, 1000 a transaction, until settled"] == names)
        #expect(topics["a second without a change"] == Array(Self.forms.prefix(2)))
        let left = try FileManager.default.contentsOfDirectory(atPath: scratch.path)
        #expect(Set(left) == ["owner", "result.json"])
    }

    @Test func `is measured for the works that are asked for`() throws {
        let scratch = try Scratch(under: "/tmp", isKept: false)
        let output = try BenchProgram.measured([
            "objects", "--objects", "1000", "--rounds", "1", "--works", "filter,query-10",
            "--programs", scratch.path, "--directory", scratch.path,
        ])
        #expect(output.contains("query by index, 10 results"))
        #expect(!output.contains("fetch by key"))
    }

    @Test func `is not measured where the options make no sense`() throws {
        let nobody = ["--bare", "--programs", "/nowhere"]
        for options in [["--objects", "1500"], ["--rounds", "0"], ["--works", "dance"], nobody] {
            _ = try BenchProgram.run(["objects"] + options, status: .usage)
        }
    }
}

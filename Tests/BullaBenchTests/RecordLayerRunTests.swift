import BullaBenchKit
import Foundation
import Testing

/// Runs the built program with small sizes: the figures mean nothing, but everything is measured.
@Suite struct `What encrypted fields and assets cost` {
    @Test(.enabled(if: BenchProgram.isFast))
    func `is measured for each work, with a row for each aim`() throws {
        let scratch = try Scratch(under: "/tmp", isKept: false)
        let json = scratch.file("result.json")
        let output = try BenchProgram.measured([
            "records", "--records", "250", "--size", "1100K", "--rounds", "1",
            "--directory", scratch.path, "--json", json,
        ])
        let result = try JSONDecoder().decode(
            RecordLayerResult.self, from: Data(contentsOf: URL(fileURLWithPath: json)))
        #expect(result.schema == RecordLayerResult.schemaName)
        #expect(result.schemaVersion == RecordLayerResult.currentVersion)
        #expect(result.settings.recordCount == 250)
        for row in result.rows {
            #expect(output.contains(row.name) && output.contains(row.topic))
            #expect(!row.rounds.isEmpty && row.rounds.allSatisfy { !$0.isEmpty }, "\(row.name)")
            #expect((row.aim == nil) == (row.verdict == nil), "\(row.name)")
        }
        for work in ["save", "fetch", "query", "changes"] {
            let names = result.rows.filter { $0.topic == work }.map(\.name)
            #expect(names == ["plain", "5 of 10 encrypted", "beyond plain"])
        }
        #expect(result.rows.count { $0.aim != nil } == 3)
        let left = try FileManager.default.contentsOfDirectory(atPath: scratch.path)
        #expect(Set(left) == ["owner", "result.json"])
    }

    @Test func `is not measured where the options make no sense`() throws {
        for options in [["--records", "0"], ["--size", "51M"], ["--rounds", "0"]] {
            _ = try BenchProgram.run(["records"] + options, status: .usage)
        }
    }
}

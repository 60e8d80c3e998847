import BullaBenchKit
import Foundation
import Testing

/// Runs the built program with small sizes: the figures mean nothing, but everything is measured.
@Suite struct `What sealing costs` {
    private static let works = ["save", "fetch", "open", "list", "keep"]
    private static let forms = [
        "plain", "page-sealed", "entity-sealed", "entity-sealed in sealed pages", "field-sealed",
    ]

    @Test(.enabled(if: BenchProgram.isFast))
    func `is measured in all forms, with a row for each aim`() throws {
        let scratch = try Scratch(under: "/tmp", isKept: false)
        let json = scratch.file("result.json")
        let output = try BenchProgram.measured([
            "sealing", "--records", "100", "--size", "4M", "--rounds", "1", "--seconds", "0.05",
            "--directory", scratch.path, "--json", json,
        ])
        let result = try JSONDecoder().decode(
            SealingResult.self, from: Data(contentsOf: URL(fileURLWithPath: json)))
        #expect(result.schema == SealingResult.schemaName)
        #expect(result.schemaVersion == SealingResult.currentVersion)
        #expect(result.settings.recordCount == 100)
        for row in result.rows {
            #expect(output.contains(row.name) && output.contains(row.topic))
            #expect(!row.rounds.isEmpty && row.rounds.allSatisfy { !$0.isEmpty }, "\(row.name)")
            #expect((row.aim == nil) == (row.verdict == nil), "\(row.name)")
        }
        for work in Self.works {
            let names = result.rows.filter { $0.topic == work && $0.unit != .count }
            #expect(names.map(\.name) == Self.forms)
        }
        #expect(Self.aims(result) == Self.expectedAims)
        // Counts do not depend on the machine.
        for row in result.rows where row.unit == .count {
            #expect(row.verdict == .met, "\(row.topic): \(row.name) is \(row.median)")
        }
        for row in result.rows where row.name == "written" {
            #expect(row.rounds.joined().allSatisfy { 2 * 4096...16 * 4096 ~= $0 }, "\(row.topic)")
        }
        let left = try FileManager.default.contentsOfDirectory(atPath: scratch.path)
        #expect(Set(left) == ["owner", "result.json"])
    }

    @Test func `is not measured where the options make no sense`() throws {
        for options in [["--records", "0"], ["--size", "64K"], ["--rounds", "0"]] {
            _ = try BenchProgram.run(["sealing"] + options, status: .usage)
        }
        let nowhere = ["--directory", "/nowhere", "--rounds", "1"]
        _ = try BenchProgram.run(["sealing"] + nowhere, status: .system)
    }

    /// The rows with aims, in order.
    private static func aims(_ result: SealingResult) -> [String] {
        result.rows.filter { $0.aim != nil }.map { "\($0.topic): \($0.name)" }
    }

    private static let expectedAims = [
        "list: entity-sealed", "list: opened", "open, beyond fetch: entity-sealed",
        "save, beyond plain: entity-sealed", "save of 1000, 10 changed: seals",
        "open with a password: beyond stretching", "open with a password: with the stretched key",
        "refuse N = 2^16 in a file: time", "refuse N = 2^16 in a file: memory",
        "refuse N = 2^31 in a file: time", "refuse N = 2^31 in a file: memory",
        "add a slot: time", "change a slot: time", "remove a slot: time", "change the key: time",
        "the whole store: reencrypt, pace 0.5",
        "a small durable commit: beside reencrypt, pace 0.5",
    ]
}

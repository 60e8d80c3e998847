import Bulla
import BullaBenchKit
import BullaRecords
import Foundation
import Testing

/// Runs the built program with small sizes and without servers, and makes a run in which stores
/// stand in for the servers' databases.
@Suite struct `What records cost in a store and in databases` {
    @Test(.enabled(if: BenchProgram.isFast))
    func `is measured for each work and form`() throws {
        let scratch = try Scratch(under: "/tmp", isKept: false)
        let json = scratch.file("result.json")
        let options = ["--records", "250", "--clients", "2", "--rounds", "1"]
        let output = try BenchProgram.measured(
            ["record-sites"] + options + ["--directory", scratch.path, "--json", json])
        let result = try JSONDecoder().decode(
            RecordSitesResult.self, from: Data(contentsOf: URL(fileURLWithPath: json)))
        #expect(result.schema == RecordSitesResult.schemaName)
        #expect(result.schemaVersion == RecordSitesResult.currentVersion)
        #expect(result.settings.recordCount == 250 && result.settings.clientCount == 2)
        for topic in ["save", "fetch", "changes", "latency"] {
            let rows = result.rows.filter { $0.topic == "\(topic), a store" }
            #expect(rows.map(\.name) == ["plain", "5 of 10 encrypted"])
            #expect(rows.allSatisfy { $0.rounds.allSatisfy { !$0.isEmpty } })
            #expect(output.contains("\(topic), a store"))
        }
        #expect(result.rows.count == 8)
        let left = try FileManager.default.contentsOfDirectory(atPath: scratch.path)
        #expect(Set(left) == ["owner", "result.json"])
    }

    @Test func `is measured in one database and in several`() throws {
        let scratch = try Scratch(under: "/tmp", isKept: false)
        let stores = try (0..<2).map {
            try Store.open(at: scratch.file("site\($0).bulla"), key: .random())
        }
        defer { for store in stores { try? store.close() } }
        var run = RecordSitesRun()
        (run.recordCount, run.clientCount) = (20, 2)
        (run.changeCount, run.roundCount, run.directory) = (1, 1, scratch.path)
        let result = try run.result(stores.map { EmbeddedBackend($0) }) { _ in }
        for topic in ["save", "fetch", "changes", "latency"] {
            for home in ["a store", "one database", "2 databases"] {
                let rows = result.rows.filter { $0.topic == "\(topic), \(home)" }
                #expect(rows.map(\.name) == ["plain", "5 of 10 encrypted"])
                #expect(rows.allSatisfy { $0.rounds.count == 1 && !$0.rounds[0].isEmpty })
            }
        }
        #expect(result.rows.count == 24)
        // Each of two accounts leaves one zone for each of two forms. With one database, all four
        // zones are in the first store; with two databases, each store gets two.
        for (index, count) in [4 + 2, 2].enumerated() {
            let zoneCount = try stores[index].read { snapshot in
                try snapshot.count(of: try snapshot.tree(named: "zones"))
            }
            #expect(zoneCount == count)
        }
    }

    @Test func `is not measured where the options make no sense`() throws {
        for options in [["--records", "0"], ["--clients", "65"], ["--rounds", "0"]] {
            _ = try BenchProgram.run(["record-sites"] + options, status: .usage)
        }
    }
}

internal import Bulla
package import BullaRecords

/// Measures records in a store, in one database, and in several.
package struct RecordSitesRun: Codable, Sendable {
    /// How many records each client has.
    package var recordCount = 1_000
    /// How many clients work at the same time, each with an account of its own.
    package var clientCount = 3
    /// How many changes are timed to measure a latency, which is their median.
    package var changeCount = 10
    package var roundCount = 5
    package var directory = "."

    static let latency = "latency"

    package init() {}

    /// - Parameter sites: databases, in which the run leaves containers of its own.
    package func result(
        _ sites: [any SiteBackend], _ tell: (String) -> Void
    ) throws -> RecordSitesResult {
        let scratch = try Scratch(under: directory, isKept: false)
        let machine = Machine(directory: try Folder.absolute(directory))
        let (start, load) = (Clock.now, MachineLoad.now())
        var rows: [SealingRow] = []
        do {
            let store = try Store.open(at: scratch.file("records.bulla"), key: .random())
            defer { try? store.close() }
            var homes = [RecordHome.store(store)]
            if let first = sites.first { homes.append(.database(first)) }
            if sites.count > 1 { homes.append(.databases(sites)) }
            tell("the same records in \(homes.map(\.name).joined(separator: ", in "))")
            let sides = try homes.map { home in
                try RecordFieldForm.allCases.map { try RecordClients($0, in: home, self) }
            }
            var random = Random(seed: 1)
            let order = random.permutation(recordCount)
            for work in [RecordTask.save, .fetch, .changes] {
                rows += try self.rows("\(work)", sides) { try $0.time(work, order) }
            }
            tell("how soon another client has a change")
            rows += try self.rows(Self.latency, sides) { try $0.latency(of: changeCount) }
        } catch {
            throw error is BenchError ? error : BenchError(.store, "\(error)")
        }
        return RecordSitesResult(
            settings: self, machine: machine, noise: MachineNoise(from: load, to: .now()),
            seconds: Double(Clock.now - start) / 1e9, rows: rows)
    }

    /// Makes a row for each home and form; each round measures all of these in turn.
    private func rows(
        _ topic: String, _ sides: [[RecordClients]],
        _ time: @escaping (RecordClients) throws -> Double
    ) throws -> [SealingRow] {
        let all = Array(sides.joined())
        let works = all.map { side in { try time(side) } }
        for work in works { _ = try work() }
        let times = try SealingRun.inTurn(roundCount, works)
        return zip(all, times).enumerated().map { index, measured in
            let (side, rounds) = measured
            return SealingRow(
                "\(topic), \(side.home)", side.fields.rawValue, rounds,
                over: side.fields == .plain ? nil : times[index - 1])
        }
    }
}

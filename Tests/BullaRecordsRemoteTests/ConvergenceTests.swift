#if Service && Remote
import BullaProcessSupport
import BullaRecords
import BullaRecordsRemote
import BullaTestSupport
import Testing

/// Two devices that sync a zone with sealed fields through one service, and are offline from time
/// to time.
@Suite("Two processes with sync engines", .service)
struct ConvergenceTests {
    private static let zoneID = CKRecordZone.ID(zoneName: "Notes")

    private func worker(
        _ account: String, _ seed: UInt64, _ errors: String
    ) throws -> WorkerProcess {
        let service = try ServiceProcess.present
        let worker = try WorkerProcess(
            program: "BullaRemoteWorker",
            ["url=\(service.url)", "token=\(service.token)", "account=\(account)", "seed=\(seed)"],
            key: nil, errors: errors)
        _ = try lines(worker)
        return worker
    }

    /// The worker's lines up to `ready`.
    private func lines(_ worker: WorkerProcess) throws -> [String] {
        var lines: [String] = []
        while let line = try worker.line() {
            if line == "ready" { return lines }
            lines.append(line)
        }
        throw WorkerHangs()
    }

    private func ask(_ worker: WorkerProcess, _ command: String) throws -> [String] {
        worker.child.write(command + "\n")
        return try lines(worker)
    }

    @Test(
        "that are offline for random stretches agree with each other and the service in the end",
        arguments: TestMode.seeds(TestMode.pick(short: 8, long: 40)))
    func converge(seed: UInt64) async throws {
        let (service, scratch) = (try ServiceProcess.present, try Scratch())
        let account = try service.account()
        let workers = try (0..<2).map { number in
            try worker(account, 2 * seed + UInt64(number), scratch.path("errors"))
        }
        // Both work at once, so their requests arrive in any order.
        for round in 1...TestMode.pick(short: 4, long: 12) {
            for worker in workers { worker.child.write("work \(10 * round)\n") }
            for worker in workers { _ = try lines(worker) }
        }
        var reports: [[String]] = []
        for _ in 0..<20 {
            let pending = try workers.flatMap { try ask($0, "settle") }
            let next = try workers.map { try ask($0, "report") }
            defer { reports = next }
            if next == reports, pending.allSatisfy({ $0 == "pending=0" }) { break }
        }
        #expect(reports[0] == reports[1], "\(TestMode.replay(seed))")
        #expect(try await stored(account) == reports[0].sorted(), "\(TestMode.replay(seed))")
        #expect(!reports[0].isEmpty)
        for worker in workers { try worker.stop() }
    }

    /// What the service has, in the form of a worker's report; expects that all of it is sealed
    /// there.
    private func stored(_ account: String) async throws -> [String] {
        let container = try await ServiceProcess.present.container(account)
        let page = try await container.privateCloudDatabase.recordZoneChanges(
            inZoneWith: Self.zoneID, since: nil)
        #expect(!page.moreComing)
        var lines: [String] = []
        for (id, result) in page.modificationResultsByID {
            let record = try result.get().record
            #expect(record.allKeys().isEmpty && record.encryptedValues.allKeys() == ["text"])
            let text: String = record.encryptedValues["text"] ?? ""
            lines.append("\(id.recordName)=\(text) \(record.recordChangeTag ?? "")")
        }
        try await container.close()
        return lines.sorted()
    }
}
#endif

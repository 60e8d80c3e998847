internal import BullaCipher
internal import BullaMemory
internal import BullaRecords
internal import Foundation

/// Clients that work with records in one home at the same time, each with an account of its own.
final class RecordClients {
    private static let zone = "kept"
    private static let otherZone = "saved"

    let home: String
    let fields: RecordFieldForm
    private let clients: [RecordNotes]
    /// A second client of the first account, which waits for what the account's first client saves.
    private let follower: DatabaseView
    private var random = Random(seed: 5)

    init(_ fields: RecordFieldForm, in home: RecordHome, _ run: RecordSitesRun) throws {
        (self.home, self.fields) = (home.name, fields)
        // Uses a new container, because the databases may already hold other records.
        let name = try "iCloud.org.example.\(AccountIdentifier(.new()).identifier.text)"
        let place = Place(name, .development)
        let container = try ContainerKeys(place, SecretBytes.random(byteCount: 32))
        let accounts = try (0..<run.clientCount).map { _ in
            try AccountKeys(
                AccountIdentifier(.new()), in: place, epoch: 1,
                serviceKey: SecretBytes.random(byteCount: AccountKeys.serviceKeyByteCount))
        }
        func view(_ client: Int, of account: AccountKeys) throws -> DatabaseView {
            let backend = home.gateway(client, container)
            let core = try RecordCore(backend, container) {
                Int64(Date().timeIntervalSince1970 * 1_000)
            }
            if client == 0 { try core.importSchema(RecordNotes.schema(fields)) }
            return try core.database(.private, .account(account))
        }
        clients = try accounts.enumerated().map { client, account in
            RecordNotes(
                fields: fields, view: try view(client, of: account), recordCount: run.recordCount)
        }
        follower = try view(run.clientCount, of: accounts[0])
        for client in clients {
            try client.view.createZone(Self.zone)
            try client.save(in: Self.zone)
        }
    }

    /// Nanoseconds of elapsed time per record, for all clients together.
    func time(_ work: RecordTask, _ order: [Int]) throws -> Double {
        if work == .save { for client in clients { try client.view.createZone(Self.otherZone) } }
        let start = Clock.now
        let found = try together { client in
            switch work {
            case .save: try client.save(in: Self.otherZone)
            case .fetch: try client.fetch(order, in: Self.zone)
            case .query: try client.query(in: Self.zone)
            case .changes: try client.follow(in: Self.zone)
            }
        }
        let time = Double(Clock.now - start)
        if work == .save { for client in clients { try client.view.deleteZone(Self.otherZone) } }
        let count = clients.reduce(0) { $0 + $1.recordCount }
        guard found == count else {
            throw BenchError(.digest, "\(work), \(home), \(fields.rawValue): \(found) of \(count)")
        }
        return time / Double(count)
    }

    /// Runs the same work for each client on a thread of its own; returns the sum of the results.
    private func together(_ body: @escaping @Sendable (RecordNotes) throws -> Int) throws -> Int {
        let results = Mailbox<Result<Int, any Error>>()
        for client in clients {
            Thread.detachNewThread { results.put(Result { try body(client) }) }
        }
        return try clients.map { _ in results.take() }.reduce(0) { try $0 + $1.get() }
    }

    /// The nanoseconds from the call that saves a record until another client has that record, as
    /// the median over `count` records that are saved at random moments.
    func latency(of count: Int) throws -> Double {
        try clients[0].view.createZone(Self.otherZone)
        let arrivals = Mailbox<Result<UInt64, any Error>>()
        Thread.detachNewThread { [follower] in
            do {
                try Self.follow(count, from: follower) { arrivals.put(.success(Clock.now)) }
            } catch { arrivals.put(.failure(error)) }
        }
        var times: [Double] = []
        for number in 0..<count {
            Thread.sleep(forTimeInterval: Double(random.next() % 300) / 1_000)
            let start = Clock.now
            try clients[0].save([number], in: Self.otherZone)
            times.append(Double(try arrivals.take().get() - start))
        }
        try clients[0].view.deleteZone(Self.otherZone)
        return times.median ?? 0
    }

    /// Waits until `count` new records have come; calls `hear` for each.
    private static func follow(_ count: Int, from view: DatabaseView, _ hear: () -> Void) throws {
        var (left, mark, token) = (count, UInt64(0), [UInt8]?.none)
        while left > 0 {
            let page = try view.changes(in: otherZone, since: token)
            for _ in page.changed { hear() }
            (left, token) = (left - page.changed.count, page.token)
            guard page.changed.isEmpty else { continue }
            mark = try view.core.waitForCommit(after: mark, timeout: .seconds(1)) ?? mark
        }
    }
}

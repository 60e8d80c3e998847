import Bulla
import BullaProcessSupport
import BullaRecords
import BullaRecordsWorker
import BullaTestSupport
import Foundation
import Testing

@Suite("A reset of keys beside another process")
struct ResetTests {
    private static let oldZone = "Old"

    private let crew: TrialCrew
    private let container: CKContainer
    private let user: CKRecord.ID
    private let account: AccountIdentifier

    init() async throws {
        crew = try TrialCrew()
        container = try await ClientJob.open(crew.folder)
        user = try await container.createAccount(unlockedBy: TrialSite.key(2))
        account = try #require(AccountIdentifier(userRecordName: user.recordName))
    }

    @Test("is heard by it, which makes its zone again; copies open what the documents say")
    func reset() async throws {
        let client = try crew.worker("client", "account=\(user.recordName)")
        _ = try client.values()
        try makeOldZone()
        try backUp("before")
        try await container.resetEncryptedData(of: user, to: TrialSite.key(3))
        client.begin()
        let heard = try client.values()
        #expect(
            heard == [
                "session": 1, "former": 1, "read": 1, "write": 1, "feed": 1, "database": 1,
                "token": 1,
            ], "\(crew.complaints)")
        client.begin()
        try crew.expectEnd(of: client)
        try await expectUploaded()
        try backUp("after")
        try await container.close()
        try checkCopies()
    }

    @Test("ends what writers do under the former keys: nothing of theirs is committed after it")
    func writers() async throws {
        try await container.close()
        let site = try crew.site()
        let view = try site.view(account)
        for zone in ["a", "b"] { try view.createZone(zone) }
        let writers = try (0..<2).map { number in
            try crew.worker(
                "write", "account=\(user.recordName)", "zones=a,b", "changes=1000000",
                "worker=\(number)")
        }
        for writer in writers {
            _ = try writer.values()
            for _ in 0..<10 { _ = try writer.line() }
        }
        try site.keyring.reset(account, in: TrialSite.place, to: TrialSite.key(3))
        try site.core.zoneKeys.forget(of: account)
        let backend = EmbeddedBackend(site.records)
        let heads = try backend.zones(in: view.database)
        for writer in writers {
            _ = try writer.lines()
            let end = try writer.child.wait(patience: TestMode.patience)
            #expect(end == .exited(WorkerExit.storeFailed.rawValue))
        }
        #expect(crew.complaints.split(separator: "\n").count == 2)
        for line in crew.complaints.split(separator: "\n") {
            #expect(line.hasPrefix("encryptedDataReset"))
        }
        #expect(try backend.zones(in: view.database) == heads)
        #expect(heads.allSatisfy { $0.version > 0 })
        try site.close()
    }

    /// Makes a zone that nobody makes again after the reset.
    private func makeOldZone() throws {
        let site = try crew.site()
        let view = try site.view(account)
        try view.createZone(Self.oldZone)
        let fields: [String: RecordChange.FieldChange?] = [
            "secret": .init(.string("old"), isEncrypted: true)
        ]
        let save = RecordChange("r", .save(.init("Note", .isNew, fields: fields)))
        let results = try view.modify([save], in: Self.oldZone)
        #expect(results.allSatisfy { $0.error == nil })
        try site.close()
    }

    private func expectUploaded() async throws {
        try await container.signIn(user, with: TrialSite.key(3))
        let database = container.privateCloudDatabase
        let page = try await database.recordZoneChanges(
            inZoneWith: ClientJob.zoneID, since: nil)
        var found: [String: String] = [:]
        for (id, result) in page.modificationResultsByID {
            found[id.recordName] = try result.get().record.encryptedValues["secret"]
        }
        #expect(found == ClientJob.cache)
    }

    // MARK: Copies

    private func backUp(_ name: String) throws {
        let site = try crew.site()
        _ = try site.records.backup(to: crew.scratch.path("records.\(name)"))
        _ = try site.accounts.backup(to: crew.scratch.path("accounts.\(name)"))
        try site.close()
    }

    /// A folder with stores from before or after the reset; without an accounts store if none is
    /// named.
    private func folder(records: String, accounts: String?) throws -> String {
        let folder = crew.scratch.path("\(records)-\(accounts ?? "none")")
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: false)
        try Store.restore(
            from: [crew.scratch.path("records.\(records)")],
            to: TrialSite.recordsPath(folder), key: TrialSite.key(0))
        guard let accounts else { return folder }
        try Store.restore(
            from: [crew.scratch.path("accounts.\(accounts)")],
            to: TrialSite.accountsPath(folder), key: TrialSite.key(1))
        return folder
    }

    private func checkCopies() throws {
        // With both stores from before the reset, the copy opens, as the documents say.
        let kept = try TrialSite(folder(records: "before", accounts: "before"))
        let view = try kept.view(account, TrialSite.key(2))
        #expect(try secret("r0", in: ClientJob.zoneID.zoneName, view) == ClientJob.cache["r0"])
        #expect(try secret("r", in: Self.oldZone, view) == "old")
        try kept.close()
        // Without the accounts from before, no key opens the records from before.
        let mixed = try TrialSite(folder(records: "before", accounts: "after"))
        expect(.authenticationFailed) { try mixed.view(account, TrialSite.key(2)) }
        try expectReset(try mixed.view(account, TrialSite.key(3)))
        try mixed.close()
        expect(.damaged) { try TrialSite(folder(records: "before", accounts: nil)) }
        // The accounts from before open neither the records from after the reset nor the older ones
        // in the same store.
        let former = try TrialSite(folder(records: "after", accounts: "before"))
        try expectReset(try former.view(account, TrialSite.key(2)))
        try former.close()
    }

    private func expectReset(_ view: DatabaseView) throws {
        for zone in [ClientJob.zoneID.zoneName, Self.oldZone] {
            expect(.encryptedDataReset) { try view.records(["r", "r0"], in: zone) }
            expect(.encryptedDataReset) { try view.changes(in: zone) }
        }
    }

    private func secret(_ name: String, in zone: String, _ view: DatabaseView) throws -> String? {
        guard
            case .string(let text) = try view.records([name], in: zone)[0].get()
                .value(of: "secret")
        else { return nil }
        return text
    }

    private func expect<R>(_ code: RecordError.Code, _ body: () throws -> R) {
        let error = #expect(throws: RecordError.self) { _ = try body() }
        #expect(error?.code == code)
    }
}

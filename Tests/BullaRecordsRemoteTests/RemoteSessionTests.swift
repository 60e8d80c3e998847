#if Service && Remote
import Bulla
import BullaProcessSupport
import BullaRecords
import BullaRecordsRemote
import BullaRecordsServer
import BullaTestSupport
import Foundation
import Testing

@Suite("A user of a service", .service)
struct RemoteSessionTests {
    private func failure<R>(_ body: () async throws -> R) async -> CKError? {
        do { _ = try await body() } catch { return error as? CKError }
        return nil
    }

    private func connect(
        _ access: RecordServiceAccess, attempts: Int = 1
    ) throws -> CKContainer {
        var patience = RemotePatience()
        patience.attemptLimit = attempts
        return try CKContainer.connect(
            identifier: ServiceProcess.place.container, to: access, patience: patience
        ) { $0 }
    }

    @Test("signs in by name and password, is known by the same name as there, and signs out")
    func signIn() async throws {
        let service = try ServiceProcess.present
        let name = try service.account()
        let container = try connect(service.access())
        #expect(try await container.accountStatus() == .noAccount)
        let database = container.privateCloudDatabase
        #expect(await failure { try await database.allRecordZones() }?.code == .notAuthenticated)
        let wrong = await failure {
            try await container.signIn(accountName: name, password: Secret("another"))
        }
        #expect(wrong?.code == .notAuthenticated)
        try await container.signIn(
            accountName: name, password: Secret("the password of \(name)"))
        #expect(try await container.accountStatus() == .available)
        let names = service.stores.keyring.names
        let account = try names.account(named: name, in: ServiceProcess.place)
        let user = try await container.userRecordID().recordName
        #expect(user == account?.userRecordName)
        #expect(try await database.allRecordZones().count == 1)
        try container.signOut()
        #expect(await failure { try await database.allRecordZones() }?.code == .notAuthenticated)
        try await container.close()
        #expect(await failure { try await database.allRecordZones() }?.code == .badContainer)
        #expect(!service.log.contains(service.token) && !service.log.contains("password"))
    }

    @Test("whose keys were reset has to sign in again, and finds the zone gone for that reason")
    func reset() async throws {
        let service = try ServiceProcess.present
        let name = try service.account()
        let container = try await service.container(name)
        let database = container.privateCloudDatabase
        let zone = CKRecordZone(zoneName: "Notes")
        try await database.save(zone)
        let start = try await database.databaseChanges(since: nil)
        let account = try #require(
            try service.stores.keyring.names.account(named: name, in: ServiceProcess.place))
        let key = try StoreKey.password(Secret("the password of \(name)"))
        try service.stores.resetKeys(of: account, in: ServiceProcess.place, to: key)
        for _ in 0..<2 {
            let ended = await failure { try await database.allRecordZones() }
            #expect(ended?.code == .notAuthenticated)
        }
        try await container.signIn(
            accountName: name, password: Secret("the password of \(name)"))
        let gone = try await database.databaseChanges(since: start.changeToken)
        #expect(gone.deletions.map(\.reason) == [.encryptedDataReset])
        let lost = await failure { try await database.recordZone(for: zone.zoneID) }
        #expect(lost?.code == .zoneNotFound && lost?.userDidResetEncryptedData == true)
        let feed = await failure {
            try await database.recordZoneChanges(
                inZoneWith: zone.zoneID, since: nil)
        }
        #expect(feed?.code == .zoneNotFound && feed?.userDidResetEncryptedData == true)
        try await container.close()
    }

    @Test("reads and writes the public database; nobody reads it, and a server signs for it")
    func publicDatabase() async throws {
        let service = try ServiceProcess.present
        let container = try await service.container()
        let record = CKRecord(recordType: "Post", recordID: CKRecord.ID())
        record["title"] = "for all"
        try await container.publicCloudDatabase.save(record)
        let sealed = CKRecord(recordType: "Post", recordID: CKRecord.ID())
        sealed.encryptedValues["secret"] = "x"
        let refused = await failure { try await container.publicCloudDatabase.save(sealed) }
        #expect(refused?.code == .invalidArguments)
        let nobody = try connect(service.access()).publicCloudDatabase
        #expect(try await nobody.record(for: record.recordID)["title"] == "for all")
        let key = try service.serverKey()
        let server = try connect(
            RecordServiceAccess(
                url: service.url, keyID: key.identifier, privateKey: Secret(key.privateText)))
        let found = try await server.publicCloudDatabase.record(for: record.recordID)
        #expect(found["title"] == "for all")
        found["title"] = "by a server"
        try await server.publicCloudDatabase.save(found)
        let again = try await nobody.record(for: record.recordID)
        #expect(again["title"] == "by a server" && again.lastModifiedUserRecordID == nil)
        let signIn = await failure {
            try await server.signIn(accountName: "x", password: Secret("y"))
        }
        #expect(signIn?.code == .permissionFailure)
        let strange = try connect(
            RecordServiceAccess(
                url: service.url, keyID: key.identifier, privateKey: Secret("no key")))
        let unsigned = await failure {
            try await strange.publicCloudDatabase.record(for: record.recordID)
        }
        #expect(unsigned?.code == .notAuthenticated)
        try await container.close()
    }

    @Test("cannot do what only the operator of the service can")
    func operators() async throws {
        let service = try ServiceProcess.present
        let container = try await service.container()
        let key = try StoreKey.password(Secret("x"))
        for body in [
            { _ = try await container.createAccount(unlockedBy: key) },
            { _ = try await container.exportSchema() },
            { try await container.tidy() },
            {
                try await container.privateCloudDatabase.verifyRecordZone(
                    withID: CKRecordZone.ID.default)
            },
        ] as [() async throws -> Void] {
            #expect(await failure(body)?.code == .permissionFailure)
        }
        try await container.close()
    }

    @Test("learns that there is no service, that it is busy, or that it is another one")
    func trouble() async throws {
        let service = try ServiceProcess(
            tls: true, settings: ["limits.requestsPerSecond": 1, "limits.requestBurst": 4])
        let name = try service.account()
        let password = try Secret("the password of \(name)")
        let container = try connect(service.access())
        try await container.signIn(accountName: name, password: password)
        let database = container.privateCloudDatabase
        // Send all requests at once. If they were sent one by one, each could take a second on a
        // slow machine, and they would never be too many.
        let busy = await withTaskGroup(of: CKError?.self) { group in
            for _ in 0..<100 {
                group.addTask { await failure { try await database.allRecordZones() } }
            }
            return await group.reduce(nil as CKError?) { $0 ?? $1 }
        }
        #expect(busy?.code == .requestRateLimited && busy?.retryAfterSeconds ?? 0 >= 1)
        // The authorities of this machine do not know the service's certificate.
        let stranger = try connect(
            RecordServiceAccess(url: service.url, token: Secret(service.token)))
        let unknown = await failure {
            try await stranger.signIn(accountName: name, password: password)
        }
        #expect(unknown?.code == .networkUnavailable)
        // This address is not the name in the certificate.
        let misnamed = try connect(
            RecordServiceAccess(
                url: service.url.replacing("localhost", with: "127.0.0.1"),
                token: Secret(service.token), authorities: service.authorities))
        let other = await failure {
            try await misnamed.signIn(accountName: name, password: password)
        }
        #expect(other?.code == .networkUnavailable)
        service.stop()
        let down = await failure { try await database.allRecordZones() }
        #expect([.networkUnavailable, .networkFailure].contains(down?.code))
        let again = await failure { try await database.allRecordZones() }
        #expect(again?.code == .networkUnavailable)
        try await container.close()
    }

    @Test("refuses a service whose address is not safe, and files that are no authorities")
    func addresses() throws {
        let token = try Secret("t")
        for url in [
            "http" + "://example.org", "http" + "://127.0.0.1.example.org",
            "http" + "://localhost@example.org", "http" + "://127.0.0.1:1:2",
            "ftp" + "://localhost", "https" + "://", "https" + "://a b", "https" + "://a?b", "",
        ] {
            #expect(throws: CKError.self, "\(url)") {
                try RecordServiceAccess(url: url, token: token)
            }
        }
        for url in [
            "https" + "://example.org", "https" + "://example.org/records/",
            "http" + "://127.0.0.1", "http" + "://[::1]:8443", "http" + "://localhost:80",
        ] {
            let access = try RecordServiceAccess(url: url, token: token, authorities: "/none")
            #expect(throws: CKError.self) { try connect(access) }
            #expect(!"\(access)".contains("\"t\""))
        }
        let access = try RecordServiceAccess(url: "https" + "://example.org", token: token)
        #expect(throws: CKError.self) {
            try CKContainer.connect(identifier: "a/b", to: access)
        }
    }
}
#endif

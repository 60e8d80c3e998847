import Bulla
import BullaRecords
import BullaTestSupport
import Foundation
import Testing

@Suite("A container")
struct ContainerTests {
    private let fixture: ContainerFixture

    init() async throws { fixture = try await ContainerFixture() }

    private func key(_ number: UInt8) throws -> StoreKey { try ContainerFixture.key(number) }

    @Test("is found by its identifier while it is open")
    func registry() async throws {
        let found = CKContainer(identifier: fixture.identifier)
        #expect(try await found.userRecordID() == fixture.user)
        #expect(try await found.accountStatus() == .available)
        #expect(found.containerIdentifier == fixture.identifier)
        try await found.privateCloudDatabase.save(CKRecord(recordType: "Note"))
        try await fixture.container.close()
        try await fixture.container.close()
        try await expect(.badContainer) { try await found.userRecordID() }
        try await expect(.badContainer) { try await fixture.container.userRecordID() }
        try await expect(.badContainer) {
            try await found.privateCloudDatabase.save(CKRecord(recordType: "Note"))
        }
        #expect(try await found.accountStatus() == .couldNotDetermine)
    }

    @Test("opens its private database only for a user who is signed in")
    func sessions() async throws {
        let (container, database) = (fixture.container, fixture.container.privateCloudDatabase)
        let record = try await database.save(CKRecord(recordType: "Note"))
        let other = try await container.createAccount(unlockedBy: key(2))
        #expect(try await Set(container.accounts()) == [fixture.user, other])
        try await container.signIn(other, with: key(2))
        #expect(try await container.userRecordID() == other)
        try await expect(.unknownItem) { try await database.record(for: record.recordID) }
        try await expect(.notAuthenticated) {
            try await container.signIn(fixture.user, with: key(2))
        }
        #expect(try await container.userRecordID() == other)
        try container.signOut()
        #expect(try await container.accountStatus() == .noAccount)
        try await expect(.notAuthenticated) { try await database.record(for: record.recordID) }
        try await expect(.notAuthenticated) { try await container.userRecordID() }
        try await expect(.permissionFailure) {
            try await container.publicCloudDatabase.save(CKRecord(recordType: "Note"))
        }
        try await container.signIn(fixture.user, with: key(1))
        _ = try await database.record(for: record.recordID)
        try await expect(.unknownItem) {
            try await container.signIn(CKRecord.ID(recordName: "somebody"), with: key(1))
        }
    }

    @Test("shows everybody the public database, and lets users with accounts write it")
    func publicDatabase() async throws {
        let database = fixture.container.publicCloudDatabase
        let record = CKRecord(recordType: "Post")
        record["text"] = "t"
        try await database.save(record)
        try fixture.container.signOut()
        #expect(try await database.record(for: record.recordID)["text"] as? String == "t")
        let other = try await fixture.container.createAccount(unlockedBy: key(2))
        try await fixture.container.signIn(other, with: key(2))
        let read = try await database.record(for: record.recordID)
        read["text"] = "u"
        try await expect(.permissionFailure) { try await database.save(read) }
    }

    @Test("changes an account's password, and keeps what it has")
    func passwordChange() async throws {
        let database = try await fixture.database()
        let record = CKRecord.note("a")
        record.encryptedValues["s"] = "kept"
        try await database.save(record)
        let container = fixture.container
        try await container.changeKey(of: fixture.user, from: key(1), to: key(5))
        _ = try await database.record(for: record.recordID)
        try await expect(.notAuthenticated) {
            try await container.signIn(fixture.user, with: key(1))
        }
        try await container.signIn(fixture.user, with: key(5))
        let read = try await database.record(for: record.recordID)
        #expect(read.encryptedValues["s"] as? String == "kept")
    }

    @Test("resets an account's keys: zones say so until they are made again, and sessions end")
    func reset() async throws {
        let database = try await fixture.database()
        let record = CKRecord.note("a")
        record.encryptedValues["s"] = "lost"
        try await database.save(record)
        let other = try await fixture.reopened()
        try await other.resetEncryptedData(of: fixture.user, to: key(5))
        #expect(try await fixture.container.accountStatus() == .noAccount)
        try await expect(.notAuthenticated) { try await database.record(for: record.recordID) }
        try await fixture.container.signIn(fixture.user, with: key(5))
        let zone = CKRecordZone(zoneID: ContainerFixture.zoneID)
        let refusals = [
            try await failure { try await database.record(for: record.recordID) },
            try await failure { try await database.save(.note("b")) },
            try await failure { try await database.recordZone(for: zone.zoneID) },
            try await failure { try await database.save(zone) },
            try await failure {
                try await database.recordZoneChanges(inZoneWith: zone.zoneID, since: nil)
            },
        ]
        for error in refusals {
            #expect(error?.code == .zoneNotFound && error?.userDidResetEncryptedData == true)
            let flag = error?.userInfo[CKErrorUserDidResetEncryptedDataKey] as? NSNumber
            #expect(flag?.boolValue == true)
        }
        try await database.deleteRecordZone(withID: zone.zoneID)
        let missing = try await failure { try await database.recordZone(for: zone.zoneID) }
        #expect(missing?.userDidResetEncryptedData == false)
        try await database.save(zone)
        let fresh = CKRecord.note("a")
        fresh.encryptedValues["s"] = "again"
        try await database.save(fresh)
    }

    @Test("lets the default zone be deleted after a reset, and not before")
    func defaultZoneReset() async throws {
        let database = fixture.container.privateCloudDatabase
        let record = try await database.save(CKRecord(recordType: "Note"))
        try await expect(.invalidArguments) {
            try await database.deleteRecordZone(withID: .default)
        }
        try await fixture.container.resetEncryptedData(of: fixture.user, to: key(5))
        try await fixture.container.signIn(fixture.user, with: key(5))
        let error = try await failure { try await database.record(for: record.recordID) }
        #expect(error?.userDidResetEncryptedData == true)
        try await database.deleteRecordZone(withID: .default)
        try await expect(.unknownItem) { try await database.record(for: record.recordID) }
        try await database.save(CKRecord(recordType: "Note"))
        try await expect(.invalidArguments) {
            try await database.deleteRecordZone(withID: .default)
        }
    }

    @Test("forgets an account, which is signed in no more")
    func deletion() async throws {
        try await fixture.container.deleteAccount(fixture.user)
        #expect(try await fixture.container.accountStatus() == .noAccount)
        #expect(try await fixture.container.accounts().isEmpty)
        try await expect(.unknownItem) {
            try await fixture.container.signIn(fixture.user, with: key(1))
        }
    }

    @Test("extends its schema in development, and keeps it in production")
    func production() async throws {
        let container = try await fixture.reopened(.production)
        let user = try await container.createAccount(unlockedBy: key(3))
        try await container.signIn(user, with: key(3))
        try await expect(.invalidArguments) {
            try await container.privateCloudDatabase.save(CKRecord(recordType: "Note"))
        }
        try await expect(.unknownItem) {
            try await container.signIn(fixture.user, with: key(1))
        }
    }

    @Test("does not open by another key, nor with accounts that are not its own")
    func strangers() async throws {
        let (identifier, folder) = (fixture.identifier, fixture.folder)
        try await expect(.notAuthenticated) {
            try await CKContainer.open(identifier: identifier, at: folder, key: key(9))
        }
        try await expect(.invalidArguments) {
            try await CKContainer.open(identifier: "", at: folder, key: key(0))
        }
        try await fixture.container.close()
        try FileManager.default.removeItem(atPath: folder + "/accounts.bulla")
        let lost = try await failure {
            try await CKContainer.open(identifier: identifier, at: folder, key: key(0))
        }
        #expect(lost?.code == .internalError && lost?.message.contains("belong") == true)
        let other = try await ContainerFixture()
        try await other.container.close()
        try FileManager.default.removeItem(atPath: folder + "/accounts.bulla")
        let stranger = try await CKContainer.open(
            identifier: identifier, at: other.folder, key: key(0))
        try await stranger.close()
        try FileManager.default.copyItem(
            atPath: other.folder + "/accounts.bulla", toPath: folder + "/accounts.bulla")
        let foreign = try await failure {
            try await CKContainer.open(identifier: identifier, at: folder, key: key(0))
        }
        #expect(foreign?.code == .internalError && foreign?.message.contains("belong") == true)
    }

    @Test("that two open at once for the first time has one secret")
    func openedTwice() async throws {
        let (folder, key) = (fixture.folder + "/new", try key(0))
        func open() async throws -> CKContainer {
            try await CKContainer.open(identifier: "iCloud.org.example.new", at: folder, key: key)
        }
        async let first = open()
        async let second = open()
        let containers = try await [first, second]
        let user = try await containers[0].createAccount(unlockedBy: self.key(1))
        for container in containers { try await container.signIn(user, with: self.key(1)) }
        let record = CKRecord(recordType: "Note")
        record.encryptedValues["s"] = "t"
        try await containers[0].privateCloudDatabase.save(record)
        let read = try await containers[1].privateCloudDatabase.record(for: record.recordID)
        #expect(read.encryptedValues["s"] as? String == "t")
        for container in containers { try await container.close() }
    }

    @Test("shows no zone in the shared database before somebody shares one")
    func sharedDatabase() async throws {
        let shared = fixture.container.sharedCloudDatabase
        #expect(try await shared.allRecordZones().isEmpty)
        try await expect(.permissionFailure) {
            try await shared.save(CKRecordZone(zoneName: "mine"))
        }
        try fixture.container.signOut()
        try await expect(.notAuthenticated) { try await shared.allRecordZones() }
    }

    @Test("Deletions are remembered for the days that the opener asks for, and until it tidies up")
    func tidying() async throws {
        let fixture = try await ContainerFixture()
        for days in [0, 36_501] {
            try await expect(.invalidArguments) {
                try await CKContainer.open(
                    identifier: fixture.identifier, at: fixture.folder,
                    key: ContainerFixture.key(0), deletionDays: days)
            }
        }
        let other = try await CKContainer.open(
            identifier: fixture.identifier, at: fixture.folder, key: ContainerFixture.key(0),
            deletionDays: 1)
        let database = try await fixture.database()
        let zone = ContainerFixture.zoneID
        try await database.save(.note("a"))
        let token = try await database.recordZoneChanges(inZoneWith: zone, since: nil).changeToken
        try await database.deleteRecord(withID: CKRecord.note("a").recordID)
        // No deletion is a day old yet.
        try await other.tidy()
        let changes = try await database.recordZoneChanges(inZoneWith: zone, since: token)
        #expect(changes.deletions.count == 1)
        try await other.close()
        try await expect(.badContainer) { try await other.tidy() }
    }
}

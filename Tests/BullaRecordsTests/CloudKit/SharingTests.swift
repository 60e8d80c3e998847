import Bulla
import BullaRecords
import BullaTestSupport
import Foundation
import Testing

@Suite("Sharing a zone")
struct SharingTests {
    private let fixture: ContainerFixture
    private let owner: CKContainer
    /// The same stores, opened for the second user.
    private let other: CKContainer
    private let user: CKRecord.ID

    init() async throws {
        fixture = try await ContainerFixture()
        owner = fixture.container
        other = try await fixture.reopened()
        user = try await other.createAccount(unlockedBy: ContainerFixture.key(2))
        try await other.signIn(user, with: ContainerFixture.key(2))
    }

    private func close() async throws { try await other.close() }

    /// The zone, as the second user names it.
    private var zoneID: CKRecordZone.ID {
        CKRecordZone.ID(
            zoneName: ContainerFixture.zoneID.zoneName, ownerName: fixture.user.recordName)
    }

    private func id(_ name: String) -> CKRecord.ID { CKRecord.ID(recordName: name, zoneID: zoneID) }

    /// Shares the zone with the second user.
    private func share(_ permission: CKShare.ParticipantPermission) async throws -> CKShare {
        let database = try await fixture.database()
        let share = CKShare(recordZoneID: ContainerFixture.zoneID)
        share[CKShare.SystemFieldKey.title] = "Groceries"
        let participant = try await owner.shareParticipant(forUserRecordID: user)
        participant.permission = permission
        share.addParticipant(participant)
        try await database.save(share)
        return share
    }

    private func accept(_ share: CKShare) async throws -> CKShare {
        let url = try #require(share.url)
        return try await other.accept(other.shareMetadata(for: url))
    }

    @Test("A user takes part in what another shares")
    func roundTrip() async throws {
        let share = try await share(.readWrite)
        #expect(share.recordID.recordName == CKRecordNameZoneWideShare)
        #expect(share.participants.map(\.role) == [.owner, .privateUser])
        #expect(share.participants.map(\.acceptanceStatus) == [.accepted, .pending])
        #expect(share.currentUserParticipant?.role == .owner)
        let note = CKRecord.note("a", "Milk")
        note.encryptedValues["text"] = "one litre"
        try await owner.privateCloudDatabase.save(note)
        #expect(note.share?.recordID == share.recordID)

        let shared = other.sharedCloudDatabase
        #expect(try await shared.allRecordZones().isEmpty)
        try await expect(.zoneNotFound) { try await shared.record(for: id("a")) }
        let url = try #require(share.url)
        let metadata = try await other.shareMetadata(for: url)
        #expect(metadata.participantStatus == .pending && metadata.participantRole == .privateUser)
        #expect(metadata.participantPermission == .readWrite)
        #expect(metadata.ownerIdentity.userRecordID == fixture.user)
        #expect(metadata.share[CKShare.SystemFieldKey.title] as? String == "Groceries")
        let accepted = try await other.accept(metadata)
        #expect(accepted.currentUserParticipant?.acceptanceStatus == .accepted)
        #expect(accepted.owner.userIdentity.userRecordID == fixture.user)

        #expect(try await shared.allRecordZones().map(\.zoneID) == [zoneID])
        let read = try await shared.record(for: id("a"))
        #expect(read.encryptedValues["text"] as? String == "one litre")
        #expect(read.creatorUserRecordID == fixture.user)
        #expect(read.share?.recordID == id(CKRecordNameZoneWideShare))
        read.encryptedValues["text"] = "two litres"
        try await shared.save(read)
        let back = try await owner.privateCloudDatabase.record(for: note.recordID)
        #expect(back.encryptedValues["text"] as? String == "two litres")
        #expect(back.lastModifiedUserRecordID == user)
        let fetched = try await owner.privateCloudDatabase.record(for: share.recordID)
        let seen = try #require(fetched as? CKShare)
        #expect(seen.participants.map(\.acceptanceStatus) == [.accepted, .accepted])
        #expect((seen.copy() as? CKShare)?.participants == seen.participants)
        try await close()
    }

    @Test("A file that a participant saves is the owner's, wherever it comes from")
    func files() async throws {
        _ = try await accept(share(.readWrite))
        let url = URL(fileURLWithPath: fixture.folder).appendingPathComponent("photo")
        try Data([1, 2, 3]).write(to: url)
        let file = CKAsset(fileURL: url)
        let own = CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: "own"))
        own["photo"] = file
        try await other.privateCloudDatabase.save(own)
        let shared = other.sharedCloudDatabase
        let held = try #require(own["photo"] as? CKAsset)
        for (name, asset) in [("new", file), ("copy", held)] {
            let record = CKRecord(recordType: "Note", recordID: id(name))
            record["photo"] = asset
            try await shared.save(record)
        }
        // Another record of the zone holds the same file.
        let copy = try await shared.record(for: id("copy"))
        let again = CKRecord(recordType: "Note", recordID: id("again"))
        again["photo"] = copy["photo"] as CKAsset?
        try await shared.save(again)
        try await other.privateCloudDatabase.deleteRecord(withID: own.recordID)
        try await shared.deleteRecord(withID: id("copy"))
        for name in ["new", "again"] {
            let id = CKRecord.ID(recordName: name, zoneID: ContainerFixture.zoneID)
            let read = try await owner.privateCloudDatabase.record(for: id)
            let found = try await (read["photo"] as? CKAsset)?.loadFile()
            #expect(try found.map { [UInt8](try Data(contentsOf: $0)) } == [1, 2, 3])
        }
        try await close()
    }

    @Test("What has changed is told in the shared database too")
    func following() async throws {
        let share = try await share(.readWrite)
        _ = try await accept(share)
        let shared = other.sharedCloudDatabase
        let zones = try await shared.databaseChanges(since: nil)
        #expect(zones.modifications.map(\.zoneID) == [zoneID])
        let start = try await shared.recordZoneChanges(inZoneWith: zoneID, since: nil)
        let found = start.modificationResultsByID[id(CKRecordNameZoneWideShare)]
        #expect(try found?.get().record is CKShare)
        try await owner.privateCloudDatabase.save(CKRecord.note("a", "Milk"))
        let page = try await shared.recordZoneChanges(
            inZoneWith: zoneID, since: start.changeToken)
        #expect(page.modificationResultsByID.keys.map(\.self) == [id("a")])
        let query = CKQuery(recordType: "Note", predicate: CKPredicate(format: "title = 'Milk'"))
        let answer = try await shared.records(matching: query, inZoneWith: zoneID)
        #expect(answer.matchResults.map(\.0) == [id("a")])
        try await shared.deleteRecordZone(withID: zoneID)
        let gone = try await shared.databaseChanges(since: zones.changeToken)
        #expect(gone.deletions.map(\.zoneID) == [zoneID])
        let still = try await owner.privateCloudDatabase.record(for: share.recordID)
        #expect((still as? CKShare)?.participants.count == 1)
        try await close()
    }

    @Test("References of a shared zone lead where they lead")
    func references() async throws {
        _ = try await accept(share(.readWrite))
        let shared = other.sharedCloudDatabase
        let parent = CKRecord(recordType: "Note", recordID: id("parent"))
        let child = CKRecord(recordType: "Note", recordID: id("child"))
        child["of"] = CKRecord.Reference(record: parent, action: .deleteSelf)
        child.setParent(parent)
        _ = try await shared.modifyRecords(saving: [parent, child])
        let read = try await shared.record(for: child.recordID)
        #expect((read["of"] as? CKRecord.Reference)?.recordID == parent.recordID)
        #expect(read.parent?.recordID == parent.recordID)
        let name = CKRecord.ID(recordName: "child", zoneID: ContainerFixture.zoneID)
        let own = try await owner.privateCloudDatabase.record(for: name)
        let leads = CKRecord.ID(recordName: "parent", zoneID: ContainerFixture.zoneID)
        #expect(own.parent?.recordID == leads)
        try await shared.deleteRecord(withID: parent.recordID)
        try await expect(.unknownItem) { try await shared.record(for: child.recordID) }
        try await close()
    }

    @Test("The owner changes what a participant may, and takes it out")
    func changes() async throws {
        let share = try await share(.readOnly)
        _ = try await accept(share)
        let shared = other.sharedCloudDatabase
        let note = CKRecord(recordType: "Note", recordID: id("a"))
        try await expect(.permissionFailure) { try await shared.save(note) }
        // The participant's acceptance has made another version of the share.
        share.participants[1].permission = .readWrite
        try await expect(.serverRecordChanged) {
            try await owner.privateCloudDatabase.save(share)
        }
        let fetched = try await owner.privateCloudDatabase.record(for: share.recordID)
        let fresh = try #require(fetched as? CKShare)
        fresh.participants[1].permission = .readWrite
        try await owner.privateCloudDatabase.save(fresh)
        try await shared.save(note)
        fresh[CKShare.SystemFieldKey.title] = "Food"
        try await owner.privateCloudDatabase.save(fresh)
        #expect(fresh.participants.map(\.acceptanceStatus) == [.accepted, .accepted])
        fresh.removeParticipant(fresh.participants[1])
        try await owner.privateCloudDatabase.save(fresh)
        #expect(fresh.participants.count == 1)
        try await expect(.zoneNotFound) { try await shared.record(for: note.recordID) }
        try await expect(.zoneNotFound) { try await shared.save(note) }
        try await owner.privateCloudDatabase.deleteRecord(withID: fresh.recordID)
        let url = try #require(fresh.url)
        try await expect(.unknownItem) { try await other.shareMetadata(for: url) }
        try await close()
    }

    @Test("What is not shared so is refused with the reason")
    func refusals() async throws {
        let database = try await fixture.database()
        let root = CKRecord(
            recordType: "Note", recordID: CKRecord.ID(recordName: "root"))
        try await expect(.invalidArguments) { try await database.save(CKShare(rootRecord: root)) }
        let elsewhere = CKShare(
            rootRecord: root,
            shareID: CKRecord.ID(recordName: "s", zoneID: ContainerFixture.zoneID))
        try await expect(.invalidArguments) { try await database.save(elsewhere) }
        let missing = CKShare(rootRecord: CKRecord.note("missing"))
        try await expect(.unknownItem) { try await database.save(missing) }
        let open = CKShare(recordZoneID: ContainerFixture.zoneID)
        open.publicPermission = .readOnly
        try await expect(.invalidArguments) { try await database.save(open) }
        open.publicPermission = .none
        open.removeParticipant(open.owner)
        try await expect(.invalidArguments) { try await database.save(open) }
        let everywhere = CKShare(recordZoneID: .default)
        try await expect(.invalidArguments) { try await database.save(everywhere) }
        let unknown = CKRecord.ID(recordName: "_" + String(repeating: "0", count: 32))
        try await expect(.participantMayNeedVerification) {
            try await owner.shareParticipant(forUserRecordID: unknown)
        }
        try await expect(.unknownItem) {
            try await owner.shareParticipant(forUserRecordID: CKRecord.ID(recordName: "x"))
        }
        let nowhere = try #require(URL(string: "bulla-share:00"))
        try await expect(.unknownItem) { try await other.shareMetadata(for: nowhere) }
        let share = try await share(.readOnly)
        let url = try #require(share.url)
        let own = try await owner.shareMetadata(for: url)
        #expect(own.participantRole == .owner)
        try await expect(.invalidArguments) { try await owner.accept(own) }
        try await close()
    }

    @Test("A user whose keys were reset takes part again once the owner has named it again")
    func resets() async throws {
        let share = try await share(.readWrite)
        _ = try await accept(share)
        try await owner.privateCloudDatabase.save(CKRecord.note("a", "Milk"))
        try await other.resetEncryptedData(of: user, to: ContainerFixture.key(3))
        try await other.signIn(user, with: ContainerFixture.key(3))
        let shared = other.sharedCloudDatabase
        #expect(try await shared.allRecordZones().isEmpty)
        let fetched = try await owner.privateCloudDatabase.record(for: share.recordID)
        let fresh = try #require(fetched as? CKShare)
        fresh.addParticipant(try await owner.shareParticipant(forUserRecordID: user))
        try await owner.privateCloudDatabase.save(fresh)
        #expect(fresh.participants[1].acceptanceStatus == .pending)
        _ = try await accept(fresh)
        #expect(try await shared.record(for: id("a"))["title"] as? String == "Milk")
        // The owner's reset ends the share.
        try await owner.resetEncryptedData(of: fixture.user, to: ContainerFixture.key(4))
        try await expect(.zoneNotFound) { try await shared.record(for: id("a")) }
        #expect(try await shared.allRecordZones().isEmpty)
        try await close()
    }

    @Test("What is kept of a record's system fields tells of its share")
    func systemFields() async throws {
        _ = try await share(.readOnly)
        let note = CKRecord.note("a")
        try await owner.privateCloudDatabase.save(note)
        let archiver = NSKeyedArchiver(requiringSecureCoding: true)
        note.encodeSystemFields(with: archiver)
        archiver.finishEncoding()
        let reader = try NSKeyedUnarchiver(forReadingFrom: archiver.encodedData)
        let restored = try #require(CKRecord(coder: reader))
        #expect(restored.share?.recordID.recordName == CKRecordNameZoneWideShare)
        try await close()
    }
}

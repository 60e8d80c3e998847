import Bulla
import BullaRecords
import BullaTestSupport
import Foundation
import Testing

@Suite("Sharing a record")
struct RecordSharingTests {
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

    /// A record of the owner's zone, as the second user names it.
    private func id(_ name: String) -> CKRecord.ID {
        let zone = CKRecordZone.ID(
            zoneName: ContainerFixture.zoneID.zoneName, ownerName: fixture.user.recordName)
        return CKRecord.ID(recordName: name, zoneID: zone)
    }

    /// A folder with a note in it, and another note; the folder is shared with the second user.
    private func shared(
        _ permission: CKShare.ParticipantPermission
    ) async throws -> (folder: CKRecord, share: CKShare) {
        let database = try await fixture.database()
        let folder = CKRecord.note("folder", "Food")
        let share = CKShare(rootRecord: folder)
        share[CKShare.SystemFieldKey.title] = "Groceries"
        let participant = try await owner.shareParticipant(forUserRecordID: user)
        participant.permission = permission
        share.addParticipant(participant)
        let inside = CKRecord.note("inside", "Milk")
        inside.setParent(folder)
        inside.encryptedValues["text"] = "one litre"
        let (saved, _) = try await database.modifyRecords(
            saving: [folder, share, inside, CKRecord.note("outside", "Diary")], deleting: [])
        for result in saved.values { _ = try result.get() }
        return (folder, share)
    }

    @Test("A user takes part in it, and sees nothing else")
    func roundTrip() async throws {
        let (folder, share) = try await shared(.readWrite)
        #expect(folder.share?.recordID == share.recordID)
        #expect(share.participants.map(\.acceptanceStatus) == [.accepted, .pending])
        let url = try #require(share.url)
        let metadata = try await other.shareMetadata(for: url)
        #expect(metadata.hierarchicalRootRecordID == id("folder"))
        #expect(metadata.share[CKShare.SystemFieldKey.title] as? String == "Groceries")
        try await other.accept(metadata)
        let database = other.sharedCloudDatabase
        let inside = try await database.record(for: id("inside"))
        #expect(inside.encryptedValues["text"] as? String == "one litre")
        #expect(inside.parent?.recordID == id("folder") && inside.share == nil)
        try await expect(.unknownItem) { try await database.record(for: id("outside")) }
        for (title, names) in [("Milk", ["inside"]), ("Food", ["folder"]), ("Diary", [])] {
            let predicate = CKPredicate(format: "title = %@", title)
            let found = try await database.records(
                matching: CKQuery(recordType: "Note", predicate: predicate),
                inZoneWith: id("x").zoneID)
            #expect(found.matchResults.map(\.0.recordName) == names)
        }
        let page = try await database.recordZoneChanges(inZoneWith: id("x").zoneID, since: nil)
        #expect(page.modificationResultsByID.count == 3)

        let more = CKRecord(recordType: "Note", recordID: id("more"))
        try await expect(.permissionFailure) { try await database.save(more) }
        more.setParent(inside)
        more.encryptedValues["text"] = "bread"
        try await database.save(more)
        let own = CKRecord.ID(recordName: "more", zoneID: ContainerFixture.zoneID)
        let read = try await owner.privateCloudDatabase.record(for: own)
        #expect(read.encryptedValues["text"] as? String == "bread")
        try await expect(.permissionFailure) {
            try await other.sharedCloudDatabase.verifyRecordZone(withID: id("x").zoneID)
        }
        try await owner.privateCloudDatabase.verifyRecordZone(withID: ContainerFixture.zoneID)
        try await other.close()
    }

    @Test("A record that leaves is told to be deleted, and one that comes to be there")
    func following() async throws {
        let (folder, share) = try await shared(.readOnly)
        try await other.accept(try await other.shareMetadata(for: #require(share.url)))
        let (mine, theirs) = (owner.privateCloudDatabase, other.sharedCloudDatabase)
        let zone = id("x").zoneID
        let start = try await theirs.recordZoneChanges(inZoneWith: zone, since: nil)
        let outside = try await mine.record(
            for: CKRecord.ID(recordName: "outside", zoneID: ContainerFixture.zoneID))
        outside.setParent(folder)
        try await mine.save(outside)
        let inside = try await mine.record(
            for: CKRecord.ID(recordName: "inside", zoneID: ContainerFixture.zoneID))
        inside.parent = nil
        try await mine.save(inside)
        let page = try await theirs.recordZoneChanges(inZoneWith: zone, since: start.changeToken)
        #expect(Set(page.modificationResultsByID.keys) == [id("outside"), id("folder")])
        #expect(page.deletions.map(\.recordID) == [id("inside")])
        try await mine.deleteRecord(withID: share.recordID)
        try await expect(.zoneNotFound) { try await theirs.record(for: id("folder")) }
        try await expect(.alreadyShared) {
            let again = try await mine.record(for: folder.recordID)
            try await mine.save(CKShare(rootRecord: again))
            try await mine.save(CKShare(rootRecord: again))
        }
        try await other.close()
    }

    /// A container over the same stores, for another user.
    private func guest(_ number: UInt8) async throws -> CKContainer {
        let guest = try await fixture.reopened()
        let user = try await guest.createAccount(unlockedBy: ContainerFixture.key(number))
        try await guest.signIn(user, with: ContainerFixture.key(number))
        return guest
    }

    @Test("One user whom the owner cannot name takes part by a URL")
    func oneTimeURL() async throws {
        let (_, share) = try await shared(.readOnly)
        let (third, fourth) = (try await guest(3), try await guest(4))
        let invited = try CKShare.Participant.oneTimeURLParticipant()
        invited.permission = .readWrite
        share.addParticipant(invited)
        #expect(share.oneTimeURL(for: invited.participantID) == nil)
        try await owner.privateCloudDatabase.save(share)
        let url = try #require(share.oneTimeURL(for: invited.participantID))
        #expect(url != share.url && share.participants.count == 3)
        try await third.accept(try await third.shareMetadata(for: url))
        let database = third.sharedCloudDatabase
        let inside = try await database.record(for: id("inside"))
        inside.encryptedValues["text"] = "two litres"
        try await database.save(inside)
        try await expect(.unknownItem) { try await fourth.shareMetadata(for: url) }
        let saved = try await owner.privateCloudDatabase.record(for: share.recordID)
        let fresh = try #require(saved as? CKShare)
        #expect(fresh.oneTimeURL(for: invited.participantID) == nil)
        #expect(fresh.participants.map(\.acceptanceStatus).filter { $0 == .accepted }.count == 2)
        // Another invitation is taken back.
        let other = try CKShare.Participant.oneTimeURLParticipant()
        fresh.addParticipant(other)
        try await owner.privateCloudDatabase.save(fresh)
        let second = try #require(fresh.oneTimeURL(for: other.participantID))
        #expect(try await fourth.shareMetadata(for: second).participantStatus == .pending)
        fresh.removeParticipant(other)
        try await owner.privateCloudDatabase.save(fresh)
        #expect(fresh.oneTimeURL(for: other.participantID) == nil)
        try await expect(.unknownItem) { try await fourth.shareMetadata(for: second) }
        #expect(
            try await database.record(for: id("inside")).encryptedValues["text"] as? String
                == "two litres")
        for guest in [third, fourth, self.other] { try await guest.close() }
    }

    @Test(
        "An invitation ends at any time, even one that no clock shows",
        arguments: [Double.infinity, 1e300, 4e9, 0, -1e300, -.infinity, .nan])
    func expiry(seconds: Double) async throws {
        let (_, share) = try await shared(.readOnly)
        let invited = try CKShare.Participant.oneTimeURLParticipant(
            expiring: Date(timeIntervalSince1970: seconds))
        share.addParticipant(invited)
        try await owner.privateCloudDatabase.save(share)
        #expect((share.oneTimeURL(for: invited.participantID) != nil) == (seconds > 1))
        try await other.close()
    }

    @Test("What is kept of a record's system fields tells of its own share")
    func systemFields() async throws {
        let (folder, share) = try await shared(.readOnly)
        let archiver = NSKeyedArchiver(requiringSecureCoding: true)
        folder.encodeSystemFields(with: archiver)
        archiver.finishEncoding()
        let reader = try NSKeyedUnarchiver(forReadingFrom: archiver.encodedData)
        let restored = try #require(CKRecord(coder: reader))
        #expect(restored.share?.recordID == share.recordID)
        try await other.close()
    }
}

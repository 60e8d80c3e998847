import Bulla
import BullaRecords
import BullaRecordsRemote
import BullaRecordsServer
import BullaTestSupport
import Foundation
import Testing

@Suite("Sharing through a service")
struct RemoteSharingTests {
    private let service: LocalService
    private let owner: CKContainer
    private let other: CKContainer
    private let ownerID: CKRecord.ID
    private let otherID: CKRecord.ID
    private let zoneID = CKRecordZone.ID(zoneName: "Notes")

    init() async throws {
        service = try LocalService()
        (owner, ownerID) = try await service.container("alice")
        (other, otherID) = try await service.container("bob")
        try await owner.privateCloudDatabase.save(CKRecordZone(zoneID: zoneID))
    }

    /// A record as the owner names it.
    private func id(_ name: String) -> CKRecord.ID {
        CKRecord.ID(recordName: name, zoneID: zoneID)
    }

    /// A record as the other user names it.
    private func sharedID(_ name: String) -> CKRecord.ID {
        let zone = CKRecordZone.ID(zoneName: zoneID.zoneName, ownerName: ownerID.recordName)
        return CKRecord.ID(recordName: name, zoneID: zone)
    }

    private func note(_ name: String, _ title: String = "") -> CKRecord {
        let record = CKRecord(recordType: "Note", recordID: id(name))
        record["title"] = title
        record.encryptedValues["text"] = "secret of \(name)"
        return record
    }

    private func failure<R>(_ body: () async throws -> R) async -> CKError.Code? {
        do { _ = try await body() } catch { return (error as? CKError)?.code }
        return nil
    }

    /// Shares the zone with the other user.
    private func shareZone(
        _ permission: CKShare.ParticipantPermission
    ) async throws -> CKShare {
        let share = CKShare(recordZoneID: zoneID)
        share[CKShare.SystemFieldKey.title] = "Groceries"
        let participant = try await owner.shareParticipant(forUserRecordID: otherID)
        participant.permission = permission
        share.addParticipant(participant)
        try await owner.privateCloudDatabase.save(share)
        return share
    }

    @discardableResult
    private func accept(_ share: CKShare) async throws -> CKShare {
        let url = try #require(share.url)
        return try await other.accept(other.shareMetadata(for: url))
    }

    private func fetched(_ share: CKShare) async throws -> CKShare {
        let record = try await owner.privateCloudDatabase.record(for: share.recordID)
        return try #require(record as? CKShare)
    }

    @Test("A zone is shared, found by its URL, accepted, read and written by both users")
    func wholeZone() async throws {
        let share = try await shareZone(.readWrite)
        #expect(share.participants.map(\.role) == [.owner, .privateUser])
        #expect(share.participants.map(\.acceptanceStatus) == [.accepted, .pending])
        #expect(share.currentUserParticipant?.role == .owner)
        let note = note("a", "Milk")
        try await owner.privateCloudDatabase.save(note)
        #expect(note.share?.recordID == share.recordID)

        let shared = other.sharedCloudDatabase
        #expect(try await shared.allRecordZones().isEmpty)
        #expect(await failure { try await shared.record(for: sharedID("a")) } == .zoneNotFound)
        let metadata = try await other.shareMetadata(for: #require(share.url))
        #expect(metadata.containerIdentifier == service.place.container)
        #expect(metadata.participantStatus == .pending && metadata.participantRole == .privateUser)
        #expect(metadata.participantPermission == .readWrite)
        #expect(metadata.ownerIdentity.userRecordID == ownerID)
        #expect(metadata.hierarchicalRootRecordID == nil)
        #expect(metadata.share[CKShare.SystemFieldKey.title] as? String == "Groceries")
        let accepted = try await other.accept(metadata)
        #expect(accepted.recordID == sharedID(CKRecordNameZoneWideShare))
        #expect(accepted.currentUserParticipant?.acceptanceStatus == .accepted)
        #expect(accepted.owner.userIdentity.userRecordID == ownerID)
        #expect(accepted.url == share.url)

        let zones = try await shared.allRecordZones()
        #expect(zones.map(\.zoneID) == [sharedID("a").zoneID])
        let read = try await shared.record(for: sharedID("a"))
        #expect(read.encryptedValues["text"] == "secret of a")
        #expect(read.creatorUserRecordID == ownerID)
        read.encryptedValues["text"] = "changed"
        try await shared.save(read)
        let back = try await owner.privateCloudDatabase.record(for: id("a"))
        #expect(back.encryptedValues["text"] == "changed")
        #expect(back.lastModifiedUserRecordID == otherID)
        let seen = try await fetched(share)
        #expect(seen.participants.map(\.acceptanceStatus) == [.accepted, .accepted])
        let changes = try await shared.recordZoneChanges(
            inZoneWith: sharedID("a").zoneID, since: nil)
        let found = changes.modificationResultsByID[sharedID(CKRecordNameZoneWideShare)]
        #expect((try found?.get().record as? CKShare)?.participants.count == 2)
    }

    @Test("The owner changes and removes a participant, and ends the share")
    func changes() async throws {
        let share = try await shareZone(.readOnly)
        try await accept(share)
        let shared = other.sharedCloudDatabase
        let foreign = CKRecord(recordType: "Note", recordID: sharedID("b"))
        #expect(await failure { try await shared.save(foreign) } == .permissionFailure)
        // The participant's acceptance has made another version of the share.
        share.participants[1].permission = .readWrite
        do {
            try await owner.privateCloudDatabase.save(share)
            Issue.record("an outdated share was saved")
        } catch let error as CKError {
            #expect(error.code == .serverRecordChanged)
            let present = error.serverRecord as? CKShare
            #expect(present?.participants.map(\.acceptanceStatus) == [.accepted, .accepted])
        }
        let fresh = try await fetched(share)
        fresh.participants[1].permission = .readWrite
        try await owner.privateCloudDatabase.save(fresh)
        try await shared.save(foreign)
        fresh[CKShare.SystemFieldKey.title] = "Food"
        try await owner.privateCloudDatabase.save(fresh)
        #expect(fresh.participants.map(\.acceptanceStatus) == [.accepted, .accepted])
        fresh.removeParticipant(fresh.participants[1])
        try await owner.privateCloudDatabase.save(fresh)
        #expect(fresh.participants.count == 1)
        #expect(await failure { try await shared.record(for: sharedID("b")) } == .zoneNotFound)
        #expect(await failure { try await shared.save(foreign) } == .zoneNotFound)
        try await owner.privateCloudDatabase.deleteRecord(withID: fresh.recordID)
        let url = try #require(fresh.url)
        #expect(await failure { try await other.shareMetadata(for: url) } == .unknownItem)
    }

    @Test("A participant leaves, by the share or by the zone")
    func leaving() async throws {
        let share = try await shareZone(.readWrite)
        let shared = other.sharedCloudDatabase
        for round in 0..<2 {
            try await accept(share)
            if round == 0 {
                try await shared.deleteRecord(withID: sharedID(CKRecordNameZoneWideShare))
            } else {
                try await shared.deleteRecordZone(withID: sharedID("a").zoneID)
            }
            #expect(try await shared.allRecordZones().isEmpty)
            let left = try await fetched(share)
            #expect(left.participants.count == 1)
            left.addParticipant(try await owner.shareParticipant(forUserRecordID: otherID))
            try await owner.privateCloudDatabase.save(left)
        }
    }

    @Test("A record is shared with those below it, and nothing else")
    func oneRecord() async throws {
        let folder = note("folder")
        let inside = note("inside")
        inside.setParent(folder)
        let share = CKShare(rootRecord: folder)
        share.addParticipant(try await owner.shareParticipant(forUserRecordID: otherID))
        let saved = try await owner.privateCloudDatabase.modifyRecords(
            saving: [folder, share, inside, note("outside")]
        ).saveResults
        for result in saved.values { _ = try result.get() }
        #expect(folder.share?.recordID == share.recordID)
        let metadata = try await other.shareMetadata(for: #require(share.url))
        #expect(metadata.hierarchicalRootRecordID == sharedID("folder"))
        let accepted = try await other.accept(metadata)
        #expect(accepted.recordID == sharedID(share.recordID.recordName))
        let shared = other.sharedCloudDatabase
        let read = try await shared.record(for: sharedID("inside"))
        #expect(read.encryptedValues["text"] == "secret of inside")
        #expect(await failure { try await shared.record(for: sharedID("outside")) } == .unknownItem)
        let changes = try await shared.recordZoneChanges(
            inZoneWith: sharedID("inside").zoneID, since: nil)
        let names = changes.modificationResultsByID.keys.map(\.recordName)
        #expect(Set(names) == ["folder", "inside", share.recordID.recordName])
        let second = CKShare(rootRecord: inside)
        #expect(
            await failure { try await owner.privateCloudDatabase.save(second) } != nil)
        // A share that is saved without changes to its participants keeps them.
        let fresh = try await fetched(share)
        fresh[CKShare.SystemFieldKey.title] = "Folder"
        try await owner.privateCloudDatabase.save(fresh)
        #expect(try await shared.record(for: sharedID("folder")).recordID == sharedID("folder"))
    }

    @Test("One user whom the owner cannot name takes part by a URL")
    func oneTimeURL() async throws {
        let share = CKShare(recordZoneID: zoneID)
        let invited = try CKShare.Participant.oneTimeURLParticipant(
            expiring: service.time.date(after: 60_000))
        invited.permission = .readWrite
        share.addParticipant(invited)
        try await owner.privateCloudDatabase.save(share)
        try await owner.privateCloudDatabase.save(note("a"))
        let url = try #require(share.oneTimeURL(for: invited.participantID))
        #expect(share.participants.map(\.acceptanceStatus) == [.accepted, .pending])
        #expect(try await fetched(share).oneTimeURL(for: invited.participantID) == url)
        // The share's own URL opens nothing to a user who was not added.
        let plain = try #require(share.url)
        #expect(await failure { try await other.shareMetadata(for: plain) } == .unknownItem)

        let metadata = try await other.shareMetadata(for: url)
        #expect(metadata.participantStatus == .pending)
        let accepted = try await other.accept(metadata)
        #expect(accepted.currentUserParticipant?.permission == .readWrite)
        #expect(accepted.oneTimeURL(for: invited.participantID) == nil)
        let shared = other.sharedCloudDatabase
        let read = try await shared.record(for: sharedID("a"))
        #expect(read.encryptedValues["text"] == "secret of a")
        let (third, _) = try await service.container("carol")
        #expect(await failure { try await third.shareMetadata(for: url) } == .unknownItem)
        let taken = try await fetched(share)
        #expect(taken.participants.map(\.userIdentity.userRecordID).last == otherID)
        #expect(taken.oneTimeURL(for: invited.participantID) == nil)

        // A second URL expires, and a third one is taken back.
        for isTakenBack in [false, true] {
            let fresh = try await fetched(share)
            let next = try CKShare.Participant.oneTimeURLParticipant(
                expiring: service.time.date(after: 60_000))
            fresh.addParticipant(next)
            try await owner.privateCloudDatabase.save(fresh)
            let url = try #require(fresh.oneTimeURL(for: next.participantID))
            if isTakenBack {
                fresh.removeParticipant(next)
                try await owner.privateCloudDatabase.save(fresh)
                #expect(fresh.participants.count == 2)
            } else {
                service.time.pass(60_001)
            }
            #expect(await failure { try await third.shareMetadata(for: url) } == .unknownItem)
        }
        #expect(try await shared.record(for: sharedID("a")).recordID == sharedID("a"))
        // No address contains the token of a share, because a log may show addresses.
        let token = url.absoluteString.dropFirst("bulla-share:".count)
        #expect(!token.isEmpty && !service.askedTargets.isEmpty)
        #expect(service.askedTargets.allSatisfy { !$0.contains(token) })
    }

    @Test("A user whose keys were reset takes part again once the owner has named it again")
    func resets() async throws {
        let share = try await shareZone(.readWrite)
        try await accept(share)
        try await owner.privateCloudDatabase.save(note("a"))
        let account = try #require(AccountIdentifier(userRecordName: otherID.recordName))
        try service.stores.resetKeys(
            of: account, in: service.place, to: .password(Secret("another password")))
        try await other.signIn(accountName: "bob", password: Secret("another password"))
        let shared = other.sharedCloudDatabase
        #expect(try await shared.allRecordZones().isEmpty)
        let fresh = try await fetched(share)
        fresh.addParticipant(try await owner.shareParticipant(forUserRecordID: otherID))
        try await owner.privateCloudDatabase.save(fresh)
        #expect(fresh.participants[1].acceptanceStatus == .pending)
        try await accept(fresh)
        #expect(
            try await shared.record(for: sharedID("a")).encryptedValues["text"] == "secret of a")
    }

    @Test("What cannot be shared is refused with the reason, as by a store of this machine")
    func refusals() async throws {
        let database = owner.privateCloudDatabase
        let unknown = CKRecord.ID(recordName: "_" + String(repeating: "0", count: 32))
        #expect(
            await failure { try await owner.shareParticipant(forUserRecordID: unknown) }
                == .participantMayNeedVerification)
        #expect(
            await failure {
                try await owner.shareParticipant(forUserRecordID: CKRecord.ID(recordName: "x"))
            } == .unknownItem)
        let open = CKShare(recordZoneID: zoneID)
        open.publicPermission = .readOnly
        #expect(await failure { try await database.save(open) } == .invalidArguments)
        #expect(
            await failure { try await database.save(CKShare(recordZoneID: .default)) }
                == .invalidArguments)
        let missing = CKShare(rootRecord: note("missing"))
        #expect(await failure { try await database.save(missing) } == .unknownItem)
        let share = try await shareZone(.readOnly)
        let url = try #require(share.url)
        let own = try await owner.shareMetadata(for: url)
        #expect(own.participantRole == .owner && own.participantStatus == .accepted)
        #expect(await failure { try await owner.accept(own) } == .invalidArguments)
        let (third, _) = try await service.container("carol")
        for address in [url, try #require(URL(string: "bulla-share:00"))] {
            #expect(await failure { try await third.shareMetadata(for: address) } == .unknownItem)
        }
        let elsewhere = try #require(URL(string: "mailto:x"))
        #expect(await failure { try await third.shareMetadata(for: elsewhere) } == .unknownItem)
        try await accept(share)
        let foreign = try await other.sharedCloudDatabase.record(
            for: sharedID(CKRecordNameZoneWideShare))
        foreign[CKShare.SystemFieldKey.title] = "Mine"
        #expect(
            await failure { try await other.sharedCloudDatabase.save(foreign) }
                == .permissionFailure)
        try other.signOut()
        #expect(await failure { try await other.shareMetadata(for: url) } == .notAuthenticated)
    }
}

import BullaRecords
import BullaRecordsSupport
import BullaTestSupport
import Foundation
import Synchronization
import Testing

@Suite("A sync engine, its user and its delegate")
struct SyncEngineUserTests: SyncSuite {
    let fixture: ContainerFixture
    let notes = SyncedNotes(ContainerFixture.zoneID)

    init() async throws { fixture = try await ContainerFixture() }

    @Test("waits for a user, and takes neither a closed container nor a reset for a sign-out")
    func dormant() async throws {
        let engine = engine()
        try await engine.fetchChanges()
        notes.write("one", "a", engine)
        try await engine.sendChanges()
        notes.write("unsent", "b", engine)
        try await until { pendingCount() == 1 }
        // As after a launch, before the user has signed in.
        let container = try await fixture.reopened()
        let next = self.engine(in: container.privateCloudDatabase, notes.savedState)
        notes.forgetEvents()
        try await expect(.notAuthenticated) { try await next.sendChanges() }
        #expect(notes.events.isEmpty && notes.texts.count == 2)
        try await container.signIn(fixture.user, with: ContainerFixture.key(1))
        try await next.sendChanges()
        #expect(try await stored() == ["a": "one", "b": "unsent"])
        notes.write("late", "c", next)
        try await container.close()
        try await expect(.badContainer) { try await next.sendChanges() }
        #expect(next.state.pendingRecordZoneChanges.count == 1)
        try await fixture.container.resetEncryptedData(
            of: fixture.user, to: ContainerFixture.key(2))
        notes.forgetEvents()
        try await expect(.notAuthenticated) { try await engine.fetchChanges() }
        #expect(!notes.events.contains { $0.hasPrefix("account change") })
        #expect(notes.texts.count == 3)
    }

    @Test("makes a zone whose keys were reset anew, with everything in it")
    func resetZone() async throws {
        let engine = engine()
        try await engine.fetchChanges()
        notes.write("one", "a", engine)
        try await engine.sendChanges()
        try await fixture.container.resetEncryptedData(
            of: fixture.user, to: ContainerFixture.key(2))
        try await fixture.container.signIn(fixture.user, with: ContainerFixture.key(2))
        for _ in 0..<2 { try await engine.fetchChanges() }
        #expect(notes.zonesGone.map(\.reason) == [.encryptedDataReset])
        notes.uploadAll(engine)
        try await engine.sendChanges()
        #expect(try await stored() == ["a": "one"])
    }

    @Test("starts over with more zones that were reset than a page holds, and goes on after them")
    func manyResets() async throws {
        let pageCount = RecordLimits().answerCount
        for number in 0...pageCount {
            try await database.save(CKRecordZone(zoneName: "Reset-\(number)"))
        }
        try await fixture.container.resetEncryptedData(
            of: fixture.user, to: ContainerFixture.key(2))
        try await fixture.container.signIn(fixture.user, with: ContainerFixture.key(2))
        try await engine().fetchChanges()
        // This zone sorts after all others.
        let late = CKRecordZone.ID(zoneName: "Zone")
        try await database.save(CKRecordZone(zoneID: late))
        let id = CKRecord.ID(recordName: "a", zoneID: late)
        try await database.save(CKRecord(recordType: "Note", recordID: id))
        let saved = try JSONEncoder().encode(#require(notes.savedState))
        var members = try #require(
            JSONSerialization.jsonObject(with: saved) as? [String: Any])
        #expect((members["resets"] as? [Any])?.count == pageCount + 1)
        members["token"] = Data("not a token".utf8).base64EncodedString()
        let state = try JSONDecoder().decode(
            CKSyncEngine.State.Serialization.self,
            from: JSONSerialization.data(withJSONObject: members))
        notes.forgetEvents()
        try await engine(state).fetchChanges()
        #expect(notes.texts.keys.sorted() == ["a"])
        #expect(notes.events.contains("fetched zones: 1 changed, 0 gone"))
    }

    @Test("tells the state soon after the program has changed it")
    func toldState() async throws {
        let engine = engine()
        try await engine.fetchChanges()
        for name in ["a", "b"] { notes.write("x", name, engine) }
        try await until { pendingCount() == 2 }
        let id = CKRecord.note("a").recordID
        engine.state.remove(pendingRecordZoneChanges: [.saveRecord(id)])
        try await until { pendingCount() == 1 }
    }

    @Test("lets its delegate cancel, and refuses to wait for itself")
    func insideEvents() async throws {
        let engine = engine()
        try await engine.fetchChanges()
        notes.write("one", "a", engine)
        let refused = Mutex<[CKError.Code]>([])
        notes.whenSent.withLock { hook in
            hook = { engine in
                do { try await engine.fetchChanges() } catch let error as CKError {
                    refused.withLock { $0.append(error.code) }
                } catch {}
                await engine.cancelOperations()
            }
        }
        // The engine's own delegate cancels this call.
        _ = try? await engine.sendChanges()
        try await engine.sendChanges()
        #expect(refused.withLock { $0 } == [.invalidArguments])
        #expect(try await stored() == ["a": "one"])
    }

    @Test("sends nothing for another user who has signed in meanwhile")
    func switchedMeanwhile() async throws {
        let engine = engine()
        try await engine.fetchChanges()
        try await engine.sendChanges()
        let other = try await fixture.container.createAccount(unlockedBy: ContainerFixture.key(3))
        notes.write("mine", "a", engine)
        let container = fixture.container
        notes.whenAsked.withLock { hook in
            hook = { try? await container.signIn(other, with: ContainerFixture.key(3)) }
        }
        try await expect(.notAuthenticated) { try await engine.sendChanges() }
        #expect(engine.state.pendingRecordZoneChanges.count == 1)
        #expect(try await database.allRecordZones().count == 1)
    }
}

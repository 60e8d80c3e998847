import BullaRecords
import BullaRecordsSupport
import BullaTestSupport
import Foundation
import Synchronization
import Testing

@Suite("A sync engine")
struct SyncEngineTests: SyncSuite {
    let fixture: ContainerFixture
    let notes = SyncedNotes(ContainerFixture.zoneID)

    init() async throws { fixture = try await ContainerFixture() }

    @Test("says who is signed in, makes the zone, and sends what is pending")
    func firstSync() async throws {
        let engine = engine()
        notes.write("one", "a", engine)
        try await engine.fetchChanges()
        #expect(notes.events.first == "account change: signIn(currentUser: \(fixture.user))")
        // A new user's state begins empty, and the program has then added all of its notes as
        // pending.
        #expect(engine.state.pendingRecordZoneChanges.count == 1)
        #expect(engine.state.pendingDatabaseChanges.map(\.zoneID) == [ContainerFixture.zoneID])
        notes.forgetEvents()
        try await engine.sendChanges()
        #expect(
            notes.events == [
                "will send changes", "sent zones: 1 saved, 0 deleted, 0 failed",
                "sent records: 1 saved, 0 deleted, 0 failed", "did send changes",
            ])
        #expect(try await stored() == ["a": "one"])
        #expect(engine.state.pendingRecordZoneChanges.isEmpty)
        #expect(engine.state.pendingDatabaseChanges.isEmpty)
        notes.write(nil, "a", engine)
        try await engine.sendChanges()
        #expect(try await stored().isEmpty)
    }

    @Test("passes what others have changed, page by page, and begins where its state ends")
    func fetches() async throws {
        try await database.save(CKRecordZone(zoneID: ContainerFixture.zoneID))
        for part in 0..<3 {
            try await database.modifyRecords(
                saving: (0..<150).map { .note("n\(part * 150 + $0)") }, deleting: [])
        }
        let first = engine()
        try await first.fetchChanges()
        #expect(notes.texts.count == 450)
        #expect(first.state.zoneIDsWithUnfetchedServerChanges.isEmpty)
        try await database.deleteRecord(withID: CKRecord.note("n7").recordID)
        try await database.save(.note("new"))
        notes.forgetEvents()
        let second = engine(notes.savedState)
        try await second.fetchChanges()
        #expect(
            notes.events == [
                "will fetch changes", "fetched zones: 1 changed, 0 gone",
                "will fetch \(ContainerFixture.zoneID)", "fetched records: 1 changed, 1 deleted",
                "did fetch \(ContainerFixture.zoneID)", "did fetch changes",
            ])
        #expect(notes.texts["n7"] == nil && notes.texts["new"] != nil)
        notes.forgetEvents()
        try await second.fetchChanges()
        #expect(notes.events == ["will fetch changes", "did fetch changes"])
    }

    @Test("fetches and sends only what the options ask for")
    func scopes() async throws {
        let other = CKRecordZone.ID(zoneName: "Other")
        for zone in [ContainerFixture.zoneID, other] {
            try await database.save(CKRecordZone(zoneID: zone))
        }
        try await database.save(.note("a"))
        let engine = engine()
        try await engine.fetchChanges(.init(scope: .zoneIDs([other])))
        #expect(notes.texts.isEmpty)
        #expect(
            engine.state.zoneIDsWithUnfetchedServerChanges == [ContainerFixture.zoneID])
        try await engine.fetchChanges(.init(scope: .allExcluding([other])))
        #expect(notes.texts.count == 1)
        for name in ["b", "c"] { notes.write("x", name, engine) }
        let id = CKRecord.note("c").recordID
        try await engine.sendChanges(.init(scope: .recordIDs([id])))
        #expect(Set(try await stored().keys) == ["a", "c"])
        try await engine.sendChanges(.init(scope: .allExcluding([ContainerFixture.zoneID])))
        #expect(try await stored()["b"] == nil)
        try await engine.sendChanges(.init(scope: .zoneIDs([ContainerFixture.zoneID])))
        #expect(try await stored()["b"] == "x")
    }

    @Test("gives both records of a conflict, and sends what comes of it")
    func conflicts() async throws {
        let (one, others) = (engine(), SyncedNotes(ContainerFixture.zoneID))
        let other = engine(of: others)
        for engine in [one, other] {
            try await engine.fetchChanges()
            try await engine.sendChanges()
        }
        notes.write("m", "a", one)
        try await one.sendChanges()
        try await other.fetchChanges()
        // Both programs change the same note; later, one changes a note that the other one has
        // deleted.
        notes.write("x", "a", one)
        others.write("z", "a", other)
        notes.write("y", "b", one)
        for engine in [one, other] { try await engine.sendChanges() }
        #expect(others.errors == [.serverRecordChanged])
        for engine in [one, other] { try await engine.fetchChanges() }
        #expect(notes.texts == ["a": "z", "b": "y"] && others.texts == notes.texts)
        others.write(nil, "b", other)
        try await other.sendChanges()
        notes.write("yy", "b", one)
        try await one.sendChanges()
        #expect(notes.errors == [.unknownItem])
        try await other.fetchChanges()
        #expect(try await stored() == ["a": "z", "b": "yy"] && others.texts["b"] == "yy")
    }

    @Test("tells of zones that are gone or reset, and makes them anew when asked")
    func goneZones() async throws {
        let engine = engine()
        try await engine.fetchChanges()
        notes.write("one", "a", engine)
        try await engine.sendChanges()
        try await engine.fetchChanges()
        try await database.deleteRecordZone(withID: ContainerFixture.zoneID)
        // The program does not know that yet, and goes on writing.
        notes.write("two", "a", engine)
        try await engine.sendChanges()
        #expect(notes.errors == [.zoneNotFound])
        #expect(try await stored() == ["a": "two"])
        try await engine.fetchChanges()
        #expect(notes.zonesGone.map(\.reason) == [.deleted])
        // The former zone's token is of no use for the new one.
        #expect(notes.texts == ["a": "two"])
        try await fixture.container.resetEncryptedData(
            of: fixture.user, to: ContainerFixture.key(2))
        try await fixture.container.signIn(fixture.user, with: ContainerFixture.key(2))
        try await engine.fetchChanges()
        #expect(notes.zonesGone.map(\.reason) == [.deleted, .encryptedDataReset])
    }

    @Test("keeps a change that the program makes again while it is sent")
    func changedMeanwhile() async throws {
        let engine = engine()
        try await engine.fetchChanges()
        notes.write("one", "a", engine)
        let notes = notes
        notes.beforeBatch.withLock { hook in
            hook = { engine in
                guard notes.texts["a"] == "one" else { return }
                notes.write("two", "a", engine)
            }
        }
        try await engine.sendChanges()
        #expect(try await stored() == ["a": "two"])
        #expect(notes.errors.isEmpty && engine.state.pendingRecordZoneChanges.isEmpty)
    }

    @Test("keeps pending what failed because of another change of its batch")
    func atomicBatch() async throws {
        let engine = engine()
        try await engine.fetchChanges()
        try await engine.sendChanges()
        try await database.save(.note("b"))
        notes.isAtomic.withLock { $0 = true }
        for name in ["a", "b", "c"] { notes.write("mine", name, engine) }
        try await engine.sendChanges()
        #expect(Set(notes.errors) == [.batchRequestFailed, .serverRecordChanged])
        #expect(try await stored() == ["a": "mine", "b": "mine", "c": "mine"])
    }

    @Test("sends many changes in batches, and a batch that is too long in parts")
    func manyChanges() async throws {
        let engine = engine()
        try await engine.fetchChanges()
        for number in 0..<450 { notes.write("\(number)", "n\(number)", engine) }
        notes.forgetEvents()
        try await engine.sendChanges()
        #expect(notes.events.filter { $0.hasPrefix("sent records") }.count == 3)
        #expect(try await storedCount() == 450)
        let long = CKSyncEngine.RecordZoneChangeBatch(
            recordsToSave: (0..<250).map { .note("m\($0)") },
            recordIDsToDelete: (0..<201).map { CKRecord.note("n\($0)").recordID })
        let delegate = OneBatch(long)
        var configuration = CKSyncEngine.Configuration(
            database: database, stateSerialization: notes.savedState, delegate: delegate)
        configuration.automaticallySync = false
        try await CKSyncEngine(configuration).sendChanges()
        #expect(try await storedCount() == 499)
    }

    private func storedCount() async throws -> Int {
        try await database.verifyRecordZone(withID: ContainerFixture.zoneID)
    }

    @Test("forgets its state when another user signs in, and says so")
    func accounts() async throws {
        let engine = engine()
        try await engine.fetchChanges()
        notes.write("one", "a", engine)
        try await engine.sendChanges()
        notes.write("unsent", "b", engine)
        try fixture.container.signOut()
        notes.forgetEvents()
        try await expect(.notAuthenticated) { try await engine.sendChanges() }
        #expect(notes.events == ["account change: signOut(previousUser: \(fixture.user))"])
        #expect(engine.state.pendingRecordZoneChanges.isEmpty && notes.texts.isEmpty)
        try await expect(.notAuthenticated) { try await engine.fetchChanges() }
        #expect(notes.events.count == 1)
        try await fixture.container.signIn(fixture.user, with: ContainerFixture.key(1))
        try await engine.fetchChanges()
        #expect(notes.texts == ["a": "one"])
        let other = try await fixture.container.createAccount(unlockedBy: ContainerFixture.key(3))
        try await fixture.container.signIn(other, with: ContainerFixture.key(3))
        notes.forgetEvents()
        try await engine.fetchChanges()
        #expect(
            notes.events.first
                == "account change: switchAccounts(previousUser: \(fixture.user), "
                + "currentUser: \(other))")
        #expect(notes.texts.isEmpty)
    }

    @Test("stores its state with any encoder, and refuses what is none")
    func serialization() async throws {
        let engine = engine()
        try await engine.fetchChanges()
        engine.state.add(pendingRecordZoneChanges: [
            .saveRecord(CKRecord.note("a").recordID), .deleteRecord(CKRecord.note("b").recordID),
            .saveRecord(CKRecord.note("c").recordID), .deleteRecord(CKRecord.note("a").recordID),
        ])
        engine.state.add(pendingDatabaseChanges: [
            .deleteZone(CKRecordZone.ID(zoneName: "Old", ownerName: "_x"))
        ])
        engine.state.hasPendingUntrackedChanges = true
        let pending = engine.state.pendingRecordZoneChanges
        #expect(pending.map(\.recordID.recordName) == ["b", "c", "a"])
        try await engine.fetchChanges()
        try await engine.sendChanges(.init(scope: .recordIDs([])))
        let data = try JSONEncoder().encode(try #require(notes.savedState))
        let read = try JSONDecoder().decode(CKSyncEngine.State.Serialization.self, from: data)
        let next = self.engine(read)
        #expect(next.state.pendingRecordZoneChanges == pending)
        #expect(next.state.pendingDatabaseChanges == engine.state.pendingDatabaseChanges)
        for text in ["{}", #"{"format":2}"#, "[]"] {
            #expect(throws: DecodingError.self) {
                try JSONDecoder().decode(
                    CKSyncEngine.State.Serialization.self, from: Data(text.utf8))
            }
        }
    }

    @Test("tells of the deletion of what it has sent and never fetched")
    func deletedBeforeFetch() async throws {
        let engine = engine()
        try await engine.fetchChanges()
        for name in ["a", "b"] { notes.write("x", name, engine) }
        try await engine.sendChanges()
        try await database.deleteRecord(withID: CKRecord.note("a").recordID)
        try await engine.fetchChanges()
        #expect(notes.texts == ["b": "x"])
    }

    @Test("does not work on the public database, and can be cancelled")
    func refusals() async throws {
        let everybodys = engine(in: fixture.container.publicCloudDatabase)
        try await expect(.badDatabase) { try await everybodys.fetchChanges() }
        try await expect(.badDatabase) { try await everybodys.sendChanges() }
        let engine = engine()
        try await engine.fetchChanges()
        notes.write("one", "a", engine)
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            try await engine.sendChanges()
        }
        task.cancel()
        try await expect(.operationCancelled) { try await task.value }
        #expect(engine.state.pendingRecordZoneChanges.count == 1)
        await engine.cancelOperations()
        try await engine.sendChanges()
        #expect(try await stored() == ["a": "one"])
    }

    @Test("syncs by itself with another program")
    func automatic() async throws {
        let container = try await fixture.reopened()
        try await container.signIn(fixture.user, with: ContainerFixture.key(1))
        let others = SyncedNotes(ContainerFixture.zoneID)
        let engines = [
            engine(isAutomatic: true),
            engine(of: others, in: container.privateCloudDatabase, isAutomatic: true),
        ]
        notes.write("one", "a", engines[0])
        // Wait until nothing is pending: a change that is sent again after the note's deletion
        // would save it as a new note.
        try await until {
            others.texts == ["a": "one"] && engines[0].state.pendingRecordZoneChanges.isEmpty
        }
        others.write("two", "b", engines[1])
        others.write(nil, "a", engines[1])
        let notes = notes
        try await until("\(notes.texts), \(others.texts)") { notes.texts == ["b": "two"] }
        for engine in engines { await engine.cancelOperations() }
        try await container.close()
    }

    @Test(
        "comes to the same notes in all programs, whatever they write and whenever they sync",
        arguments: TestMode.seeds(TestMode.pick(short: 2, long: 20)))
    func converges(seed: UInt64) async throws {
        var random = TestRandom(seed: seed)
        let programs = (0..<3).map { _ in SyncedNotes(ContainerFixture.zoneID) }
        var engines = programs.map { engine(of: $0) }
        for step in 0..<TestMode.pick(short: 60, long: 400) {
            let index = random.below(3)
            switch random.below(10) {
            case 0..<6:
                let text: String? = random.isOne(in: 5) ? nil : "\(random.below(100)) \(step)"
                programs[index].write(text, "n\(random.below(8))", engines[index])
            case 6, 7: try await engines[index].sendChanges()
            case 8: try await engines[index].fetchChanges()
            default:
                // The program restarts from its saved state, which contains what it has not sent.
                try await engines[index].sendChanges()
                engines[index] = engine(of: programs[index], programs[index].savedState)
            }
        }
        for _ in 0..<3 {
            for engine in engines {
                try await engine.sendChanges()
                try await engine.fetchChanges()
            }
        }
        let texts = try await stored()
        for program in programs { #expect(program.texts == texts) }
        #expect(engines.allSatisfy { $0.state.pendingRecordZoneChanges.isEmpty })
    }
}

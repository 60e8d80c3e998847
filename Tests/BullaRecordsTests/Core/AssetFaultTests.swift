import Bulla
import BullaRecords
import BullaRecordsSupport
import BullaTestSupport
import Synchronization
import Testing

/// What happens to files when calls to the backend fail between chunks.
@Suite struct `An asset over a backend that fails` {
    private let plan: FaultPlan
    private let room: EmbeddedRoom
    private let view: DatabaseView
    /// A file whose chunks take at least three calls, and at most as many calls as there are
    /// chunks.
    private let file: [UInt8]

    init() throws {
        let (plan, room) = (FaultPlan(), try EmbeddedRoom(.gcm))
        (self.plan, self.room) = (plan, room)
        view = try CoreFixture(backend: FaultyBackend(room) { plan.next($0) }).database()
        var random = TestRandom(seed: 5)
        file = random.bytes(FaultyBackend.putCount << 21 + 5)
    }

    private func refusal<R>(_ body: () throws -> R) -> RecordError.Code? {
        do { _ = try body() } catch { return (error as? RecordError)?.code }
        return nil
    }

    @Test(arguments: [FaultyBackend.Fault.fails, .losesReply, .breaksOff], 0...2)
    func `that cannot be kept takes nothing more, and nothing is left of it`(
        fault: FaultyBackend.Fault, commit: Int
    ) throws {
        plan.set(.put, Array(repeating: .none, count: commit) + [fault])
        let upload = try view.beginUpload()
        let code = refusal {
            try upload.append(file)
            return try upload.finish()
        }
        #expect(code == .unavailable)
        #expect(refusal { try upload.append([1]) } == .unavailable)
        #expect(refusal { try upload.finish() } == .unavailable)
        let keptCount = try room.store.assetChunkCount
        #expect(keptCount >= commit)
        #expect(try room.backend.freeOrphans(before: .max) == (keptCount == 0 ? 0 : 1))
        #expect(try room.store.assetChunkCount == 0)
    }

    @Test func `that is not read to its end is handed out up to there, and whole afterwards`()
        throws
    {
        let upload = try view.beginUpload()
        try upload.append(file)
        let reader = try view.asset(try upload.finish())
        plan.set(.chunk, Array(repeating: .none, count: 3) + [.fails])
        var bytes: [UInt8] = []
        #expect(refusal { try reader.read { bytes += $0 } } == .unavailable)
        #expect(!bytes.isEmpty && bytes.count < file.count && file.starts(with: bytes))
        bytes = []
        try reader.read { bytes += $0 }
        #expect(bytes == file)
    }

    @Test func `that is dropped while chunks are put is put no further afterwards`() throws {
        let counts = Mutex((begun: 0, ended: 0))
        let room = try EmbeddedRoom(.plain)
        let watched = FaultyBackend(
            room, before: { call in if call == .put { counts.withLock { $0.begun += 1 } } },
            after: { call in if call == .put { counts.withLock { $0.ended += 1 } } },
            plan: { _ in .none })
        try begin(file, over: watched)
        let (begun, ended) = counts.withLock { $0 }
        #expect(begun >= 2 && ended == begun)
        #expect(try room.backend.freeOrphans(before: .max) == 1)
        #expect(try room.store.assetChunkCount == 0)
    }

    /// Begins to upload a file, and abandons the upload unfinished.
    private func begin(_ file: [UInt8], over backend: FaultyBackend) throws {
        try CoreFixture(backend: backend).database().beginUpload().append(file)
    }
}

import Bulla
import BullaRecords
import BullaTestSupport
import Testing

@Suite("Assets")
struct AssetTests {
    private static let unit = 1 << 20

    private let fixture: CoreFixture
    private let view: DatabaseView

    init() throws {
        fixture = try CoreFixture()
        view = try fixture.database()
    }

    private func upload(_ bytes: [UInt8], step: Int = 300_000) throws -> AssetDescriptor {
        let upload = try view.beginUpload()
        for start in stride(from: 0, to: bytes.count, by: step) {
            try upload.append(bytes[start..<min(start + step, bytes.count)])
        }
        return try upload.finish()
    }

    private func read(_ asset: AssetDescriptor, _ range: Range<UInt64>? = nil) throws -> [UInt8] {
        var bytes: [UInt8] = []
        try view.asset(asset).read(range) { bytes += $0 }
        return bytes
    }

    @Test(
        "A file comes back as it was, whole and in parts",
        arguments: [
            0, 1, 1 << 20 - 1, 1 << 20, 1 << 20 + 1, 5 << 19,
            // Two whole chunks, one byte more, and more chunks than are in memory at a time.
            2 << 20, 2 << 20 + 1,
            9 << 20 + 5 << 18,
        ])
    func roundTrip(byteCount: Int) throws {
        var random = TestRandom(seed: byteCount)
        let bytes = random.bytes(byteCount)
        let uploaded = try upload(bytes)
        _ = try view.save("a", ["file": .plain(.asset(uploaded))])
        guard case .asset(let asset) = try view.record("a").value(of: "file") else {
            Issue.record("the record holds the asset")
            return
        }
        #expect(asset == uploaded && asset.byteCount == byteCount)
        #expect(asset.chunkCount == max(1, (byteCount + Self.unit - 1) / Self.unit))
        #expect(try read(asset) == bytes)
        for _ in 0..<10 where byteCount > 0 {
            let start = random.below(byteCount)
            let end = start + random.below(byteCount - start + 1)
            #expect(try read(asset, UInt64(start)..<UInt64(end)) == Array(bytes[start..<end]))
        }
        let beyond = UInt64(byteCount)..<UInt64(byteCount) + 1
        #expect(throws: RecordError.self) { try read(asset, beyond) }
    }

    @Test("A chunk that was changed, moved, or is missing is named")
    func damage() throws {
        var random = TestRandom(seed: 3)
        let asset = try upload(random.bytes(5 << 19))
        _ = try view.save("a", ["file": .plain(.asset(asset))])
        let chunks = try changeChunks { $0 }
        #expect(chunks.count == 3)
        _ = try changeChunks { chunks in
            var chunks = chunks
            chunks[1][chunks[1].count / 2] ^= 1
            return chunks
        }
        #expect(try read(asset, 0..<100).count == 100)
        expect(.damaged, naming: 1) { try read(asset) }
        _ = try changeChunks { _ in [chunks[1], chunks[0], chunks[2]] }
        expect(.damaged, naming: 0) { try read(asset) }
        _ = try changeChunks { _ in [chunks[0], chunks[1]] }
        expect(.damaged, naming: 2) { try read(asset) }
        // The second chunk takes the place of the third, but does not say that it is the last.
        _ = try changeChunks { _ in [chunks[0], chunks[1], chunks[1]] }
        expect(.damaged, naming: 2) { try read(asset) }
    }

    @Test("A file is read as a whole if its chunks are those that its record says")
    func otherDigest() throws {
        let asset = try upload([UInt8](repeating: 5, count: 3 << 19))
        let other = AssetDescriptor(
            asset.asset, byteCount: asset.byteCount, chunkCount: asset.chunkCount, key: asset.key,
            digest: asset.digest.map { ~$0 })
        #expect(try read(asset).count == 3 << 19)
        #expect(try read(other, 0..<3 << 19).count == 3 << 19)
        let error = #expect(throws: RecordError.self) { try read(other) }
        #expect(error?.code == .damaged)
    }

    /// Replaces the stored chunks with others, and returns the former ones.
    private func changeChunks(_ body: ([[UInt8]]) -> [[UInt8]]) throws -> [[UInt8]] {
        try fixture.store.write { change in
            let tree = try change.tree(named: "chunks")
            let former = try change.entries(of: tree)
            let keys = former.map(\.key)
            let chunks = body(former.map(\.value))
            for (index, key) in keys.enumerated() {
                if index < chunks.count {
                    try change.put(chunks[index], forKey: key, in: tree)
                } else {
                    try change.delete(key, in: tree)
                }
            }
            return former.map(\.value)
        }
    }

    @Test("Two equal files share no byte of what is stored")
    func equalFiles() throws {
        let bytes = [UInt8](repeating: 5, count: 1_000)
        let (one, other) = (try upload(bytes), try upload(bytes))
        _ = try view.save("a", ["one": .plain(.asset(one)), "other": .plain(.asset(other))])
        let chunks = try changeChunks { $0 }
        #expect(chunks.count == 2)
        let piece = { (chunk: [UInt8]) in
            Set((0..<chunk.count - 8).map { Array(chunk[$0..<$0 + 8]) })
        }
        #expect(piece(chunks[0]).isDisjoint(with: piece(chunks[1])))
    }

    @Test("A file goes with the last record that holds it")
    func freeing() throws {
        let asset = try upload([1, 2, 3])
        _ = try view.save("a", ["file": .plain(.asset(asset))])
        _ = try view.save("b", ["files": .plain(.list(.asset, [.asset(asset)]))])
        _ = try view.delete("a")
        #expect(try read(asset) == [1, 2, 3])
        // Another field of the record changes; the file stays.
        _ = try view.save("b", ["n": .plain(.int64(1))])
        #expect(try read(asset) == [1, 2, 3])
        _ = try view.save("b", ["files": nil])
        expect(.assetNotFound) { try read(asset) }
        #expect(try fixture.store.assetChunkCount == 0)
        #expect(try view.save("c", ["file": .plain(.asset(asset))]).code == .assetNotFound)
    }

    @Test("A file that no record comes to hold is freed")
    func orphans() throws {
        var limits = RecordLimits()
        limits.orphanMemory = 0
        let fixture = try CoreFixture(limits: limits, sharing: fixture)
        let held = try upload([1])
        _ = try view.save("a", ["file": .plain(.asset(held))])
        _ = try upload([2])
        // Begin an upload, and abandon it unfinished.
        try view.beginUpload().append(
            [UInt8](repeating: 0, count: 2 << 20 + 1))
        let before = try fixture.store.assetChunkCount
        #expect(before == 2 + 2)
        var freedCount = 0
        // Each call advances this core's clock, which is still behind that of the core that
        // uploaded.
        while freedCount < 2 { freedCount += try fixture.core.freeOrphans() }
        #expect(try fixture.store.assetChunkCount == 1)
        #expect(try read(held) == [1])
    }

    @Test("A file is not longer than the limit")
    func limit() throws {
        var limits = RecordLimits()
        limits.assetByteCount = 1_000
        let view = try CoreFixture(limits: limits).database()
        let upload = try view.beginUpload()
        try upload.append([UInt8](repeating: 0, count: 1_000))
        let error = #expect(throws: RecordError.self) { try upload.append([0]) }
        #expect(error?.code == .limitExceeded)
    }

    @Test("A file that has ended takes nothing more, and does not end again")
    func secondEnd() throws {
        let upload = try view.beginUpload()
        try upload.append([1, 2, 3])
        let asset = try upload.finish()
        expect(.invalidArguments) { try upload.append([4]) }
        expect(.invalidArguments) { try upload.finish() }
        _ = try view.save("a", ["file": .plain(.asset(asset))])
        #expect(try fixture.store.assetChunkCount == 1)
        #expect(try read(asset) == [1, 2, 3])
    }

    @Test("The key of a file is nowhere in what is stored, but in the public database")
    func keys() throws {
        let asset = try upload([1, 2, 3])
        _ = try view.save("a", ["file": .plain(.asset(asset))])
        let stored = try fixture.store.read { snapshot in
            var all: [UInt8] = []
            try snapshot.scan(try snapshot.tree(named: "records")) { _, value in
                all += [UInt8](copying: value)
                return .next
            }
            return all
        }
        #expect(!stored.contains(asset.key) && !stored.contains(asset.digest))
    }

    private func expect<R>(
        _ code: RecordError.Code, naming chunk: Int? = nil, _ body: () throws -> R
    ) {
        let error = #expect(throws: RecordError.self) { _ = try body() }
        #expect(error?.code == code)
        if let chunk { #expect(error?.reason.contains("chunk \(chunk) ") == true) }
    }
}

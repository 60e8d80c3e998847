import Bulla
import BullaCipher
import BullaMemory
import BullaTestSupport
import Testing

/// After a fork, a history seals under keys of its own, and reads what was sealed before the fork.
@Suite struct `A history that forks` {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// The places of the copies of the table of key epochs.
    private static let tables = [12288, 12288 + 32768]

    private func put(_ number: Int, in store: Store) throws {
        try store.write { change in
            let tree = try change.openOrCreateTree(named: "t")
            try change.put("value \(number)", forKey: "key \(number)", in: tree)
            try change.put([UInt8](repeating: 9, count: 9000), forKey: "large \(number)", in: tree)
        }
    }

    private func count(_ store: Store) throws -> Int {
        try store.read { try $0.count(of: try $0.tree(named: "t")) }
    }

    /// Makes a store with some commits, and a backup of it.
    private func make(_ name: String, _ kind: StoreKind) throws {
        let store = try kind.open(scratch.path(name), pageByteCount: 4096) {
            $0.fixLog(halfByteCount: 64 << 10)
        }
        for number in 0..<20 { try put(number, in: store) }
        _ = try store.backup(to: scratch.path(name + ".backup"))
        try store.close()
    }

    private func restore(_ backup: String, to name: String, _ kind: StoreKind) throws {
        try Store.restore(
            from: [scratch.path(backup)], to: scratch.path(name), key: try kind.key())
    }

    @Test(arguments: StoreKind.encrypted)
    func `begins a key epoch, whose pages open under the key of its own identifier alone`(
        kind: StoreKind
    ) throws {
        try make("a", kind)
        try restore("a.backup", to: "b", kind)
        try restore("a.backup", to: "c", kind)
        for name in ["a", "b", "c"] {
            let store = try kind.open(scratch.path(name))
            #expect(try store.info.keyEpoch == (name == "a" ? 1 : 2))
            try put(100, in: store)
            try store.close()
        }
        let views = try ["a", "b", "c"].map { try SealedRoot(scratch.bytes($0), kind) }
        #expect(Set(views.map { $0.record.keyHistory }).count == 3)
        for (index, view) in views.enumerated() {
            for (other, name) in views.enumerated() {
                let opens = try view.opens(under: name.record.keyHistory)
                #expect(opens == (index == other), "\(index) under the key of \(other)")
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `many times keeps all that was written, and each copy of the table serves`(
        kind: StoreKind
    ) throws {
        try make("0", kind)
        for round in 1...6 {
            try restore("\(round - 1).backup", to: "\(round)", kind)
            let store = try kind.open(scratch.path("\(round)"))
            for number in 0..<5 { try put(1000 * round + number, in: store) }
            _ = try store.backup(to: scratch.path("\(round).backup"))
            #expect(try store.info.keyEpoch == (kind == .plain ? 1 : UInt32(round + 1)))
            #expect(try store.check().isSound)
            try store.close()
        }
        for broken in Self.tables {
            var bytes = try scratch.bytes("6")
            // Damage the count of spans, and a span.
            for offset in [16, 70] { bytes[broken + offset] ^= 1 }
            try scratch.write(bytes, to: "x")
            let report = try Store.check(at: scratch.path("x"), key: kind.key())
            #expect(report.defects.map(\.kind) == (kind == .plain ? [] : [.keyEpochs]))
            let store = try kind.open(scratch.path("x"))
            #expect(try count(store) == 2 * (20 + 6 * 5))
            try put(1, in: store)
            try store.close()
            // The process that opened the store has rewritten the damaged copy.
            #expect(try Store.check(at: scratch.path("x"), key: kind.key()).isSound)
            try scratch.remove("x")
        }
    }

    @Test(arguments: StoreKind.encrypted)
    func `is refused as damaged without a copy of the table, and not written to`(
        kind: StoreKind
    ) throws {
        try make("a", kind)
        try restore("a.backup", to: "b", kind)
        for table in Self.tables { try scratch.overwrite("b", with: [7], at: table + 60) }
        let bytes = try scratch.bytes("b")
        let error = try scratch.expectRefusal(.corrupted, of: "b", key: StoreKind.keyBytes)
        #expect(error.says("table of key epochs"))
        let key = try kind.key()
        let path = scratch.path("b")
        #expect(refusal { _ = try Store.check(at: path, key: key) }?.code == .corrupted)
        #expect(try scratch.bytes("b") == bytes)
    }

    @Test(arguments: StoreKind.encrypted)
    func `is refused with the table of a sibling, and with one from before`(
        kind: StoreKind
    ) throws {
        try make("a", kind)
        try restore("a.backup", to: "b", kind)
        try restore("a.backup", to: "c", kind)
        for (name, foreign) in [("b", "c"), ("c", "a")] {
            let table = try scratch.bytes(foreign)
            for offset in Self.tables {
                try scratch.overwrite(
                    name, with: Array(table[offset..<offset + 200]), at: offset)
            }
            try scratch.expectRefusal(.corrupted, of: name, key: StoreKind.keyBytes)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `is followed by salvage, and by whole and incremental backups`(kind: StoreKind) throws {
        try make("0", kind)
        for round in 1...3 {
            try restore("\(round - 1).backup", to: "\(round)", kind)
            let store = try kind.open(scratch.path("\(round)"))
            try put(round * 100, in: store)
            _ = try store.backup(to: scratch.path("\(round).backup"))
            try store.close()
        }
        let path = scratch.path("3")
        #expect(try Store.check(at: path, key: kind.key()).isSound)
        _ = try Store.salvage(from: path, to: scratch.path("saved"), key: kind.key())
        #expect(try StoreContents(of: scratch.path("saved"), kind) == StoreContents(of: path, kind))
        let store = try kind.open(path)
        let whole = try store.backup(to: scratch.path("w"))
        try put(900, in: store)
        _ = try store.backup(to: scratch.path("i"), since: whole.anchor)
        try store.close()
        try Store.restore(
            from: [scratch.path("w"), scratch.path("i")], to: scratch.path("r"), key: kind.key())
        #expect(try StoreContents(of: scratch.path("r"), kind) == StoreContents(of: path, kind))
    }

    @Test func `more often than the table has room goes on in its last epoch`() throws {
        let kind = StoreKind.gcm
        let store = try kind.open(scratch.path("0"), pageByteCount: 4096) {
            $0.fixLog(halfByteCount: 16 << 10)
        }
        try put(0, in: store)
        _ = try store.backup(to: scratch.path("0.backup"))
        try store.close()
        var epochs: [UInt32] = []
        let count = TestMode.pick(short: 12, long: 860)
        for round in 1...count {
            try restore("\(round - 1).backup", to: "\(round)", kind)
            try scratch.remove("\(round - 1)")
            try scratch.remove("\(round - 1).backup")
            let store = try kind.open(scratch.path("\(round)"))
            epochs.append(try store.info.keyEpoch)
            if round % 100 == 1 { try put(round, in: store) }
            _ = try store.backup(to: scratch.path("\(round).backup"))
            try store.close()
        }
        // The table has 16 384 bytes: 56 before the spans, and 24 for each span; the first span is
        // that of epoch 1.
        let limit: UInt32 = (16384 - 56) / 24
        #expect(epochs == (1...count).map { min(UInt32($0) + 1, limit) })
        let last = try kind.open(scratch.path("\(count)"))
        #expect(try self.count(last) == 2 + 2 * ((count + 99) / 100))
        #expect(try last.check().isSound)
        try last.close()
    }

    @Test func `of a store that never forked has no table`() throws {
        try make("a", .gcm)
        let bytes = try scratch.bytes("a")
        for table in Self.tables {
            #expect(bytes[table..<table + 16384].allSatisfy { $0 == 0 })
        }
    }
}

/// The catalog's root page of a closed store, as in the file.
private struct SealedRoot {
    let record: CommitRecord
    private let page: [UInt8]
    private let master: MasterSecretHolder
    private let header: HeaderPage

    /// A class that holds a master secret, because that cannot be copied.
    private final class MasterSecretHolder {
        let master: MasterSecret
        init(_ master: consuming MasterSecret) { self.master = master }
    }

    init(_ bytes: [UInt8], _ kind: StoreKind) throws {
        let preamble = try ScratchBuffer(byteCount: PageFormat.preambleByteCount)
        defer { withExtendedLifetime(preamble) {} }
        for (offset, byte) in bytes.prefix(PageFormat.preambleByteCount).enumerated() {
            preamble.bytes.store(byte, at: offset)
        }
        let view = preamble.bytes.view
        let header = try HeaderPage.read(view, of: "s")
        let copies = [0, PageFormat.copyDistance].map {
            view.slice(PageFormat.keyringOffset + $0, Keyring.copyByteCount)
        }
        let master = try StoreKind.keyBytes.withBytes { key in
            MasterSecretHolder(
                try Keyring.open(
                    copies: copies, userKey: UserKey(copying: key),
                    fileIdentifier: header.fileIdentifier, headerDigest: header.digest
                ).takeMaster())
        }
        let meta = view.slice(PageFormat.metaOffset, MetaField.byteCount)
        let record = try #require(
            try MetaPage.read(
                meta, slot: 0, header: header, hmac: HMAC(key: master.master.metaKey())))
        let start = Int(record.catalog.pointer.number) * 4096
        page = Array(bytes[start..<start + 4096])
        (self.record, self.master, self.header) = (record, master, header)
    }

    /// Whether the page opens under the key of the record's epoch in a history.
    func opens(under history: Identifier) throws -> Bool {
        let key = try master.master.dataKey(
            epoch: UInt32(record.keyEpoch), suite: header.suite, history: history.bytes)
        // Use the epoch of this record even if the other history is in another epoch: the key must
        // differ because of the history alone.
        let cipher = try PageCipher(
            suite: header.suite, key: key, fileIdentifier: header.fileIdentifier,
            formatVersion: PageFormat.version, pageByteCount: 4096)
        let pointer = record.catalog.pointer
        let context = PageContext(
            pageNumber: pointer.number, birth: pointer.birth, epoch: UInt32(record.keyEpoch),
            kind: record.catalog.height == 1 ? PageKind.leaf.rawValue : PageKind.branch.rawValue)
        let buffers = try ScratchBuffer(byteCount: 8192)
        for (offset, byte) in page.enumerated() { buffers.bytes.store(byte, at: offset) }
        do throws(CipherError) {
            try cipher.open(
                buffers.bytes.view.slice(0, 4096), into: buffers.bytes.slice(4096, 4064),
                context: context, check: pointer.check)
            return true
        } catch { return false }
    }
}

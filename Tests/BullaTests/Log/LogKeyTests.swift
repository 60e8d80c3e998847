import Bulla
import BullaTestSupport
import Testing

/// Keys, copies and crashes of a store with a log.
@Suite struct `The keys of a store with a log` {
    private let scratch: Scratch
    private static let halfByteCount: UInt64 = 64 << 10
    private static let newKey = (0..<64).map { UInt8(200 - $0) }

    init() throws { scratch = try Scratch() }

    private func open(_ kind: StoreKind, _ name: String = "s") throws -> Store {
        try kind.open(scratch.path(name), pageByteCount: 4096) {
            $0.fixLog(halfByteCount: Self.halfByteCount)
        }
    }

    private func put(_ numbers: Range<Int>, in store: Store) throws {
        for number in numbers {
            try store.write { change in
                let tree = try change.openOrCreateTree(named: "t")
                try change.putNumbered(number..<number + 1, in: tree)
            }
        }
    }

    private func expectEntries(_ count: Int, in store: Store) throws {
        try store.read { snapshot in
            let tree = try snapshot.tree(named: "t")
            #expect(try snapshot.count(of: tree) == count)
            for number in 0..<count {
                let value = try snapshot.value(forKey: NumberedEntry.key(number), in: tree)
                #expect(value == NumberedEntry.value(number))
            }
        }
        #expect(try store.check().isSound)
    }

    @Test(arguments: StoreKind.encrypted)
    func `are changed while frames stand in it, without a commit`(kind: StoreKind) throws {
        let stores = try (0..<2).map { _ in try open(kind) }
        try put(0..<20, in: stores[0])
        let commit = try stores[0].info.commit
        try stores[1].changeKey(to: try StoreKey(Self.newKey))
        #expect(try stores[0].info.commit == commit)
        try put(20..<40, in: stores[0])
        try scratch.copy("s", to: "crashed")
        for store in stores { try store.close() }
        for name in ["s", "crashed"] {
            #expect(refusal { _ = try open(kind, name) }?.code == .wrongKey)
            let again = try Store.open(
                at: scratch.path(name), key: try StoreKey(Self.newKey))
            try expectEntries(40, in: again)
            try again.close()
        }
    }

    @Test(arguments: StoreKind.encrypted)
    func `rotate while frames stand in it`(kind: StoreKind) throws {
        let store = try open(kind)
        try put(0..<20, in: store)
        let epoch = try store.info.keyEpoch
        try store.rotateDataKeys()
        #expect(try store.info.keyEpoch == epoch + 1)
        try put(20..<40, in: store)
        try scratch.copy("s", to: "crashed")
        try expectEntries(40, in: store)
        try store.close()
        let again = try open(kind, "crashed")
        try expectEntries(40, in: again)
        try again.close()
    }

    @Test(arguments: StoreKind.encrypted)
    func `are followed by others that write while the secret is replaced`(kind: StoreKind) throws {
        let (first, second) = (try open(kind), try open(kind))
        try put(0..<20, in: first)
        try put(20..<40, in: second)
        let former = try scratch.bytes("s")
        var (count, copies) = (40, 0)
        try first.reencrypt(keys: [kind.key()].compactMap { $0 }) { _ in
            // Nobody waits for this relaxed commit to be durable, but the next writer must still
            // find it.
            try? second.write(durability: .relaxed(within: .seconds(60))) { change in
                let tree = try change.openOrCreateTree(named: "t")
                try change.putNumbered(count..<count + 1, in: tree)
            }
            count += 1
            if copies < 8 {
                try? scratch.copy("s", to: "crashed-\(copies)-\(count)")
                copies += 1
            }
        }
        try expectEntries(count, in: first)
        try expectEntries(count, in: second)
        try put(count..<count + 5, in: second)
        try expectEntries(count + 5, in: first)
        try expectOverwritten(former)
        for store in [first, second] { try store.close() }
        let again = try open(kind)
        try expectEntries(count + 5, in: again)
        try again.close()
        try expectCrashedCopies(kind)
    }

    /// Opens the copies that were taken meanwhile, each of which is like the file after a crash of
    /// all processes.
    private func expectCrashedCopies(_ kind: StoreKind) throws {
        let copies = try scratch.names().filter { $0.hasPrefix("crashed-") }
        #expect(copies.count >= 2)
        for copy in copies {
            let count = try #require(copy.split(separator: "-").last.flatMap { Int($0) })
            let store = try open(kind, copy)
            try expectEntries(count, in: store)
            try store.resumeReencryption()
            #expect(!store.isReencrypting)
            try expectEntries(count, in: store)
            try store.close()
        }
    }

    /// Expects that the halves and the marks keep none of their former content.
    private func expectOverwritten(_ former: [UInt8]) throws {
        let bytes = try scratch.bytes("s")
        let halves = 65536..<65536 + 2 * Int(Self.halfByteCount)
        for start in stride(from: halves.lowerBound, to: halves.upperBound, by: 512) {
            #expect(bytes[start..<start + 512] != former[start..<start + 512])
        }
        for mark in [28672, 61440] {
            #expect(bytes[mark..<mark + 112] != former[mark..<mark + 112])
        }
    }

    @Test(arguments: StoreKind.allCases, 0..<2)
    func `and history stay where one meta slot is lost`(kind: StoreKind, slot: Int) throws {
        let store = try open(kind)
        try put(0..<20, in: store)
        try store.checkpoint()
        try put(20..<40, in: store)
        let history = try store.info.historyIdentifier
        try scratch.copy("s", to: "crashed")
        try store.close()
        let slotOffset = 8192 + 32768 * slot
        try scratch.overwrite("crashed", with: [UInt8](repeating: 7, count: 64), at: slotOffset)
        let again = try open(kind, "crashed")
        #expect(try again.info.recoveryNote?.contains("written anew") == true)
        #expect(try again.info.historyIdentifier == history)
        try expectEntries(40, in: again)
        try put(40..<50, in: again)
        try again.close()
        #expect(try Store.check(at: scratch.path("crashed"), key: kind.key()).isSound)
    }
}

@Suite struct `Copies of a store with a log` {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func open(
        _ kind: StoreKind, _ name: String = "s", _ access: StoreOptions.Access = .readWrite
    ) throws -> Store {
        try kind.open(scratch.path(name), pageByteCount: 4096) {
            $0.fixLog(halfByteCount: 64 << 10)
            $0.access = access
        }
    }

    private func put(_ numbers: Range<Int>, in store: Store) throws {
        try store.write { change in
            let tree = try change.openOrCreateTree(named: "t")
            try change.putNumbered(numbers, in: tree)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `are backed up with what stands in it, and restored with a log of their own`(
        kind: StoreKind
    ) throws {
        let store = try open(kind)
        try put(0..<50, in: store)
        let whole = try store.backup(to: scratch.path("whole"))
        #expect(whole.commit == (try store.info.durableCommit))
        try put(50..<100, in: store)
        let more = try store.backup(to: scratch.path("more"), since: whole.anchor)
        #expect(more.since == whole.anchor)
        try put(100..<110, in: store)
        for (backups, count) in [(["whole"], 50), (["whole", "more"], 100)] {
            let name = "restored-\(count)"
            try Store.restore(
                from: backups.map { scratch.path($0) }, to: scratch.path(name), key: kind.key())
            let restored = try open(kind, name)
            #expect(restored.core.log.current != nil)
            #expect(
                try restored.info.historyIdentifier != store.info.historyIdentifier)
            try put(count..<count + 20, in: restored)
            let content = try LogModel(restored)
            #expect(content.trees[1]?.count == count + 20)
            try scratch.copy(name, to: name + "-crashed")
            try restored.close()
            let crashed = try open(kind, name + "-crashed")
            #expect(try LogModel(crashed) == content)
            #expect(try crashed.check().isSound)
            try crashed.close()
        }
        try store.close()
    }

    @Test(arguments: StoreKind.allCases)
    func `need a writer where no checkpoint has taken over what stands in it`(
        kind: StoreKind
    ) throws {
        let writer = try open(kind)
        try put(0..<50, in: writer)
        let reader = try open(kind, "s", .readOnly)
        let refused = refusal { _ = try reader.backup(to: scratch.path("b")) }
        #expect(refused?.code == .readOnly)
        #expect(refusal { try reader.checkpoint() }?.code == .readOnly)
        #expect(!scratch.exists("b"))
        try writer.checkpoint()
        #expect(try reader.backup(to: scratch.path("b")).commit == writer.info.commit)
        try reader.close()
        try writer.close()
    }
}

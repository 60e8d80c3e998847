import Bulla
import BullaTestSupport
import Testing

/// A snapshot reuses what the previous snapshot in the same reader line saw, as long as nothing has
/// changed.
@Suite struct `A snapshot that follows another` {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func open(_ kind: StoreKind) throws -> Store {
        try kind.open(scratch.path("store"), pageByteCount: 4096) {
            $0.fixLog(halfByteCount: 64 << 10)
        }
    }

    private func value(_ store: Store, _ visibility: SnapshotVisibility) throws -> [UInt8]? {
        try store.read(visibility: visibility) { snapshot in
            guard let tree = try snapshot.treeIfPresent(named: "t") else { return nil }
            return try snapshot.value(forKey: [9], in: tree)
        }
    }

    /// Both handles have seen the former commit through reader lines that they use again.
    @Test(arguments: StoreKind.allCases)
    func `sees what was committed between the two, by whichever process`(kind: StoreKind) throws {
        let (writer, reader) = (try open(kind), try open(kind))
        try writer.write { change in
            let tree = try change.createTree(named: "t")
            try change.put([0], forKey: [9], in: tree)
        }
        for number in UInt8(1)...40 {
            try writer.write(durability: .relaxed(within: .seconds(3600))) { change in
                try change.put([number], forKey: [9], in: change.tree(named: "t"))
            }
            for store in [writer, reader] {
                #expect(try value(store, .durable) == [number - 1])
                #expect(try value(store, .published) == [number])
                // The next two snapshots use the lines of the two above.
                #expect(try value(store, .durable) == [number - 1])
                #expect(try value(store, .published) == [number])
            }
            try writer.waitUntilDurable(writer.read(visibility: .published) { $0.commit })
            if number % 8 == 0 { try writer.checkpoint() }
            for store in [writer, reader] {
                #expect(try value(store, .durable) == [number])
                #expect(try value(store, .published) == [number])
            }
        }
        for store in [reader, writer] { try store.close() }
    }

    @Test(arguments: StoreKind.allCases)
    func `keeps no memory of a log that the trees have taken over`(kind: StoreKind) throws {
        let store = try open(kind)
        try store.write { _ = try $0.createTree(named: "t") }
        try store.checkpoint()
        let atFirst = try store.info.log.memoryByteCount
        for round in UInt8(0)..<4 {
            try store.write { change in
                let tree = try change.tree(named: "t")
                for key in UInt8(0)..<100 {
                    try change.put([UInt8](repeating: round, count: 64), forKey: [key], in: tree)
                }
            }
            // A second line is needed while the outer snapshot uses the first.
            let seen = try store.read { _ in
                [try value(store, .durable), try value(store, .published)]
            }
            #expect(seen.allSatisfy { $0?.first == round })
            try store.checkpoint()
        }
        #expect(try store.info.log.memoryByteCount <= atFirst)
        try store.close()
    }

    /// A cursor keeps its snapshot's claim, so the next snapshot needs a claim of its own.
    @Test(arguments: StoreKind.allCases)
    func `leaves a cursor of the former one what that sees`(kind: StoreKind) throws {
        let store = try open(kind)
        try store.write { change in
            let tree = try change.createTree(named: "t")
            for key in UInt8(0)..<200 { try change.put([0], forKey: [key], in: tree) }
        }
        try store.checkpoint()
        let held = try store.read { snapshot in
            HeldCursor(try snapshot.makeCursor(in: snapshot.tree(named: "t")))
        }
        for round in UInt8(1)...12 {
            try store.write { change in
                let tree = try change.tree(named: "t")
                for key in UInt8(0)..<200 { try change.put([round], forKey: [key], in: tree) }
            }
            #expect(try value(store, .durable) == [round])
            try store.checkpoint()
            #expect(try value(store, .durable) == [round])
        }
        var count = 0
        while try held.cursor.moveToNext() {
            #expect(try held.cursor.withValue { $0.equals([0]) })
            count += 1
        }
        #expect(count == 200)
        try store.close()
    }

    /// What a snapshot leaves to the next one must not refer to the store.
    @Test(arguments: StoreKind.allCases)
    func `does not keep a released store open`(kind: StoreKind) async throws {
        weak var core: StoreCore?
        func use() throws {
            let store = try open(kind)
            core = store.core
            try store.write { _ = try $0.createTree(named: "t") }
            for _ in 0..<3 {
                _ = try store.read { _ in try value(store, .durable) }
                try store.write { change in
                    try change.put([1], forKey: [9], in: change.tree(named: "t"))
                    // The transaction and these snapshots use each other's lines.
                    _ = try value(store, .published)
                }
                #expect(try value(store, .durable) == [1])
            }
            try store.checkpoint()
            _ = try value(store, .durable)
        }
        try use()
        // If a task releases the store, another thread closes it.
        for _ in 0..<3000 where core != nil { try await Task.sleep(for: .milliseconds(10)) }
        #expect(core == nil)
    }
}

/// Holds a cursor that outlives the closure in which it was made.
private final class HeldCursor {
    var cursor: Cursor
    init(_ cursor: consuming Cursor) { self.cursor = cursor }
}

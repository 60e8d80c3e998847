import Bulla
import BullaMemory
import BullaTestSupport
import Synchronization
import Testing

@Suite(.serialized) struct `A transaction of a store with a log` {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func open(
        _ kind: StoreKind = .gcm, _ name: String = "store", halfByteCount: UInt64 = 64 << 10
    ) throws -> Store {
        try kind.open(scratch.path(name), pageByteCount: 4096) {
            $0.fixLog(halfByteCount: halfByteCount)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `is a frame, and is seen by everybody before any page is written`(
        kind: StoreKind
    ) throws {
        let stores = try (0..<2).map { _ in try open(kind) }
        let before = try stores[0].statistics.sealedPageCount
        try stores[0].write { change in
            let tree = try change.createTree(named: "t")
            try change.putNumbered(0..<10, in: tree)
            #expect(try change.count(of: tree) == 10)
        }
        #expect(try stores[0].statistics.sealedPageCount == before)
        for store in stores {
            let content = try LogModel(store)
            #expect(content.trees[1]?.count == 10)
            #expect(try store.info.commit == 2)
        }
        // A checkpoint of this commit changes nothing visible.
        let content = try LogModel(stores[1])
        #expect(try stores[1].checkpoint())
        #expect(try LogModel(stores[0]) == content)
        for store in stores { try store.close() }
    }

    @Test(arguments: StoreKind.allCases)
    func `takes a short stream as it takes a value, and a long one into pages`(
        kind: StoreKind
    ) throws {
        let store = try open(kind)
        try store.write { _ = try $0.createTree(named: "t") }
        let part = NumberedEntry.value(7, 1000)
        func put(_ key: String, partCount: Int) throws -> Bool {
            let before = try store.statistics.sealedPageCount
            try store.write { change in
                let tree = try change.tree(named: "t")
                try change.putStream(forKey: key, in: tree) { write in
                    for _ in 0..<partCount { try part.withView { try $0.withSpan(write) } }
                }
            }
            return try store.statistics.sealedPageCount == before
        }
        for count in [0, 1, 20] { #expect(try put("\(count)", partCount: count)) }
        #expect(try !put("100", partCount: 100))
        #expect(throws: Interruption.self) {
            try store.write { change in
                let tree = try change.tree(named: "t")
                try change.put("kept", forKey: "key", in: tree)
                for partCount in [3, 100] {
                    try? change.putStream(forKey: "key", in: tree) { write in
                        for _ in 0..<partCount { try part.withView { try $0.withSpan(write) } }
                        throw Interruption()
                    }
                    #expect(try change.value(forKey: "key", in: tree) == Array("kept".utf8))
                }
                throw Interruption()
            }
        }
        try store.read { snapshot in
            let tree = try snapshot.tree(named: "t")
            for count in [0, 1, 20, 100] {
                let value = try snapshot.value(forKey: "\(count)", in: tree)
                #expect(value == (0..<count).flatMap { _ in part })
            }
            #expect(try snapshot.count(of: tree) == 4)
        }
        #expect(try store.check().isSound)
        try store.close()
    }

    private struct Interruption: Error {}

    @Test(arguments: StoreKind.allCases)
    func `that outgrows the log changes pages, and others see it whole`(kind: StoreKind) throws {
        let stores = try (0..<2).map { _ in try open(kind) }
        for store in stores {
            try store.write { change in
                let tree = try change.openOrCreateTree(named: "t")
                try change.putNumbered(0..<5, in: tree)
            }
        }
        let held = try stores[1].makeSnapshot()
        try stores[0].write { change in
            let tree = try change.tree(named: "t")
            let gone = try change.createTree(named: "gone")
            try change.putNumbered(0..<3, in: gone)
            #expect(try change.dropTree(named: "gone"))
            try change.putNumbered(5..<2000, in: tree)
            #expect(try change.count(of: tree) == 2000)
            #expect(
                try change.value(forKey: NumberedEntry.key(3), in: tree) == NumberedEntry.value(3))
            #expect(try change.deleteRange(.all, in: try change.createTree(named: "u")) == 0)
            try change.renameTree(named: "t", to: "renamed")
            try change.putNumbered(2000..<2001, in: tree)
            let error = #expect(throws: BullaError.self) { try change.count(of: gone) }
            #expect(error?.code == .treeNotFound)
        }
        #expect(try held.count(of: try held.tree(named: "t")) == 5)
        for store in stores {
            try store.read(visibility: .published) { snapshot in
                let tree = try snapshot.tree(named: "renamed")
                #expect(try snapshot.count(of: tree) == 2001)
                #expect(try snapshot.treeNames().count == 2)
            }
            // Every process can go on to commit after it.
            try store.write { change in
                try change.putNumbered(0..<3, in: try change.tree(named: "u"))
            }
        }
        #expect(try stores[0].check().isSound)
        for store in stores { try store.close() }
        let again = try open(kind)
        #expect(try LogModel(again).trees[1]?.count == 2001)
        #expect(try again.check().isSound)
        try again.close()
    }

    /// The transaction changes more pages than the file has.
    @Test(arguments: StoreKind.allCases)
    func `that outgrew the log drops a tree that it has made`(kind: StoreKind) throws {
        let store = try open(kind)
        try store.write { change in
            let gone = try change.createTree(named: "gone")
            try change.putNumbered(0..<3000, in: gone, byteCount: 1000)
            #expect(try change.dropTree(named: "gone"))
        }
        #expect(try store.info.pageCount < 1000)
        #expect(try LogModel(store) == LogModel())
        #expect(try store.check().isSound)
        try store.close()
    }

    private struct Undo: Error {}

    /// The savepoints begin while changes still go to the log; later changes inside them go to
    /// pages.
    @Test(arguments: StoreKind.allCases)
    func `that outgrew the log in savepoints that are undone goes on in the log`(
        kind: StoreKind
    ) throws {
        let store = try open(kind)
        let sealed = try store.statistics.sealedPageCount
        try store.write { change in
            let tree = try change.createTree(named: "t")
            try change.putNumbered(0..<5, in: tree)
            for depth in 1...2 {
                #expect(throws: Undo.self) {
                    try change.withSavepoint { change in
                        try change.putNumbered(5..<10, in: tree)
                        try change.withSavepoint { change in
                            try change.putNumbered(10..<3000, in: tree)
                            if depth == 2 { throw Undo() }
                        }
                        #expect(try change.count(of: tree) == 3000)
                        throw Undo()
                    }
                }
                #expect(try change.count(of: tree) == 5)
                #expect(try change.value(forKey: NumberedEntry.key(7), in: tree) == nil)
            }
            try change.putNumbered(5..<6, in: tree)
        }
        #expect(try store.info.commit == 2)
        #expect(try LogModel(store).trees[1]?.count == 6)
        // Pages that were sealed for undone changes are in no tree.
        #expect(try store.statistics.sealedPageCount > sealed)
        #expect(try store.checkpoint())
        #expect(try store.check().isSound)
        try store.close()
    }

    @Test(arguments: StoreKind.allCases)
    func `that is given up leaves no trace, in the log and in pages`(kind: StoreKind) throws {
        let store = try open(kind)
        try store.write { change in
            try change.putNumbered(0..<5, in: try change.createTree(named: "t"))
        }
        let content = try LogModel(store)
        for count in [3, 3000] {
            #expect(throws: Undo.self) {
                try store.write { change in
                    try change.putNumbered(
                        0..<count, in: try change.tree(named: "t"), byteCount: 60)
                    throw Undo()
                }
            }
            #expect(try LogModel(store) == content)
            #expect(try store.info.commit == 2)
        }
        try store.write { change in try change.putNumbered(5..<6, in: try change.tree(named: "t")) }
        #expect(try LogModel(store).trees[1]?.count == 6)
        try store.close()
    }

    /// So many commits that each half is filled repeatedly; a writer makes a checkpoint itself if
    /// no other thread has made one.
    @Test(arguments: StoreKind.allCases)
    func `waits for a checkpoint where the log is full`(kind: StoreKind) throws {
        let stores = try (0..<2).map { _ in try open(kind) }
        let tree = Array("t".utf8)
        try stores[0].write { change in _ = try change.createTree(named: tree) }
        for round in 0..<600 {
            try stores[round % 2].write(durability: .relaxed(within: .seconds(10))) { change in
                let tree = try change.tree(named: tree)
                try change.putNumbered(round..<round + 1, in: tree, byteCount: 900)
            }
        }
        try stores[0].waitUntilDurable(try stores[0].info.commit)
        for store in stores { #expect(try LogModel(store).trees[1]?.count == 600) }
        #expect(try stores[1].check().isSound)
        for store in stores { try store.close() }
    }

    @Test(arguments: StoreKind.allCases)
    func `that streams a value is a tree, with what the log said before`(kind: StoreKind) throws {
        let store = try open(kind)
        try store.write { change in
            try change.putNumbered(0..<5, in: try change.createTree(named: "t"))
        }
        try store.write { change in
            let tree = try change.tree(named: "t")
            try change.putStream(forKey: [9], in: tree) { write in
                for part in 0..<40 {
                    try NumberedEntry.value(part, 10_000).withView { try $0.withSpan(write) }
                }
            }
        }
        try store.read { snapshot in
            let tree = try snapshot.tree(named: "t")
            #expect(try snapshot.valueByteCount(forKey: [9], in: tree) == 400_000)
            #expect(try snapshot.count(of: tree) == 6)
        }
        try store.close()
    }

    /// Copies the file as the death of all processes would leave it, at each write to the preamble
    /// and at each flush, while a transaction changes pages.
    @Test(arguments: StoreKind.allCases)
    func `that changes pages is whole or absent, wherever its writer dies`(
        kind: StoreKind
    ) throws {
        let scratch = scratch
        let images = Mutex<[String]?>(nil)
        let storage = WatchedStorage { event in
            switch event {
            case .write(_, let offset, _) where offset < UInt64(PageFormat.preambleByteCount): break
            case .flush: break
            default: return
            }
            images.withLock { names in
                guard let count = names?.count else { return }
                let isCopied: Void? = try? scratch.copy("store", to: "image \(count)")
                if isCopied != nil { names?.append("image \(count)") }
            }
        }
        try open(kind).close()
        let store = try Store.open(
            at: scratch.path("store"), key: kind.key(), options: StoreOptions(), storage: storage)
        try store.write { change in
            try change.putNumbered(0..<5, in: try change.createTree(named: "t"))
        }
        let before = try LogModel(store)
        images.withLock { $0 = [] }
        try store.write { change in
            try change.putNumbered(5..<900, in: try change.tree(named: "t"))
        }
        let names = images.withLock { $0.take() } ?? []
        let after = try LogModel(store)
        try store.close()
        var seen: [Bool] = []
        for name in names {
            let image = try open(kind, name)
            let content = try LogModel(image)
            #expect(content == before || content == after)
            seen.append(content == after)
            #expect(try image.check().isSound)
            try image.write { change in
                try change.putNumbered(900..<901, in: try change.tree(named: "t"))
            }
            #expect(try LogModel(image).trees[1]?.count == (content == after ? 901 : 6))
            try image.close()
        }
        // The first copies are from before the change, and the last from after it, including some
        // that were made before any meta slot named the change.
        #expect(seen.first == false && seen.last == true, "\(seen)")
        #expect(seen.filter { $0 }.count > 2, "\(seen)")
        #expect(seen == seen.sorted { !$0 && $1 })
    }

    /// Copies the file as a kill would leave it, with the trees as they were in the beginning.
    @Test(arguments: StoreKind.allCases)
    func `is what an anchor names, before any checkpoint`(kind: StoreKind) throws {
        let store = try open(kind)
        try store.write { change in _ = try change.createTree(named: "t") }
        try scratch.copy("store", to: "older")
        try store.write { change in try change.putNumbered(0..<5, in: try change.tree(named: "t")) }
        let anchor = try store.anchor
        #expect(anchor.commit == 3)
        try scratch.copy("store", to: "newer")
        try Store.open(at: scratch.path("store"), key: kind.key(), notOlderThan: anchor).close()
        try store.close()
        try Store.open(at: scratch.path("newer"), key: kind.key(), notOlderThan: anchor).close()
        let error = try #require(throws: BullaError.self) {
            _ = try Store.open(at: scratch.path("older"), key: kind.key(), notOlderThan: anchor)
        }
        #expect(error.code == .rolledBack)
        let older = try open(kind, "older")
        #expect(try LogModel(older).names.count == 1)
        try older.close()
    }

    /// The log has room for the deleted keys of the first range, but not for those of the other
    /// two.
    @Test(arguments: StoreKind.allCases)
    func `deletes ranges by keys, or in pages`(kind: StoreKind) throws {
        let store = try open(kind)
        try store.write { change in
            try change.putNumbered(0..<3000, in: try change.createTree(named: "t"))
        }
        for (range, count) in [(1000..<1600, 600), (0..<900, 900), (0..<3000, 1500)] {
            let keys = KeyRange.from(
                NumberedEntry.key(range.lowerBound), upTo: NumberedEntry.key(range.upperBound))
            let deleted = try store.write { change in
                let tree = try change.tree(named: "t")
                let first = try change.deleteRange(keys, in: tree)
                #expect(try change.deleteRange(keys, in: tree) == 0)
                return first
            }
            #expect(deleted == count)
        }
        #expect(try LogModel(store).trees[1] == [:])
        #expect(try store.check().isSound)
        try store.close()
    }

    @Test(arguments: StoreKind.allCases)
    func `that changes pages keeps no reader waiting or from what it is to see`(
        kind: StoreKind
    ) throws {
        let stores = try (0..<2).map { _ in try open(kind) }
        try stores[0].write { change in
            try change.putNumbered(0..<600, in: try change.createTree(named: "t"))
        }
        let done = Flag()
        try Crew.run(5) { index in
            guard index > 0 else {
                defer { done.raise() }
                for round in 1...TestMode.pick(short: 30, long: 600) {
                    try stores[round % 2].write { change in
                        let tree = try change.tree(named: "t")
                        for key in 0..<600 {
                            let key = NumberedEntry.key(key)
                            try change.put(NumberedEntry.value(round), forKey: key, in: tree)
                        }
                    }
                }
                return
            }
            let visibility = index < 3 ? SnapshotVisibility.durable : .published
            let store = stores[index % 2]
            repeat {
                let least = try store.info.durableCommit
                try store.read(visibility: visibility) { snapshot in
                    let commit = snapshot.commit
                    #expect(commit >= least)
                    let tree = try snapshot.tree(named: "t")
                    let first = try snapshot.value(forKey: NumberedEntry.key(0), in: tree)
                    let last = try snapshot.value(
                        forKey: NumberedEntry.key(599), in: tree)
                    #expect(commit == 2 || first == NumberedEntry.value(Int(commit) - 2))
                    #expect(commit == 2 || first == last)
                }
            } while !done.isRaised
        }
        #expect(try stores[1].check().isSound)
        for store in stores { try store.close() }
    }
}

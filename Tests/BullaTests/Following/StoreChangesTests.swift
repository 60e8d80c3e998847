import Bulla
import BullaTestSupport
import Foundation
import Synchronization
import Testing

@Suite struct `The changes of a store` {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func open(
        _ kind: StoreKind = .gcm, _ adjust: (inout StoreOptions) -> Void = { _ in }
    ) throws -> Store {
        try kind.open(scratch.path("s"), pageByteCount: 4096) {
            $0.fixLog(halfByteCount: 64 << 10)
            $0.checkpointsWhenIdle = false
            adjust(&$0)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `are told in the order of the commits, whoever has made them`(kind: StoreKind) throws {
        let stores = try (0..<2).map { _ in try open(kind) }
        let followers = try stores.map { try $0.changes() }
        let first = try stores[0].commit(["a": "1"])
        try stores[1].commit(["a": "2", "b": ""])
        try stores[0].write { try $0.delete("a", in: try $0.tree(named: "t")) }
        let expected: [Told] = [
            .commit(first, ["create 1 t", "1 a=1"]), .commit(first + 1, ["1 a=2", "1 b="]),
            .commit(first + 2, ["1 -a"]),
        ]
        for follower in followers {
            #expect(try follower.told() == expected)
            #expect(try follower.told() == [])
        }
        try stores[1].commit(["c": "3"])
        for follower in followers {
            #expect(try follower.told() == [.commit(first + 3, ["1 c=3"])])
        }
        for store in stores { try store.close() }
    }

    @Test(arguments: StoreKind.allCases)
    func `are told of a commit once it is durable, and not before`(kind: StoreKind) throws {
        let (writer, reader) = (try open(kind), try open(kind))
        try writer.commit()
        let follower = try reader.changes()
        let commit = try writer.commit(["a": "1"], .relaxed(within: .seconds(3600)))
        try reader.read(visibility: .published) { #expect($0.commit == commit) }
        #expect(try follower.told() == [])
        #expect(refusal { _ = try reader.changes(since: commit) }?.code == .invalidArgument)
        try writer.waitUntilDurable(commit)
        #expect(try follower.told() == [.commit(commit, ["1 a=1"])])
        #expect(try reader.changes(since: commit).told() == [])
        for store in [reader, writer] { try store.close() }
    }

    @Test(arguments: StoreKind.allCases)
    func `begin after the commit that is named, through checkpoints and ends`(
        kind: StoreKind
    ) throws {
        var store = try open(kind)
        let commits = try (0..<6).map { try store.commit(["\($0)": "v"]) }
        let expected = (3..<6).map { Told.commit(commits[$0], ["1 \($0)=v"]) }
        #expect(try store.changes(since: commits[2]).told() == expected)
        #expect(try store.changes(since: commits[5]).told() == [])
        let error = refusal { _ = try store.changes(since: commits[5] + 1) }
        #expect(error?.code == .invalidArgument)
        // From here on the trees have these commits, but the log still has them too.
        try store.takeOverLog()
        #expect(try store.changes(since: commits[2]).told() == expected)
        for round in 0..<3 {
            try store.close()
            store = try open(kind)
            let last = try store.commit(["again": "\(round)"])
            let told = try store.changes(since: commits[2]).told()
            #expect(told.prefix(3) == expected[...])
            #expect(told.last == .commit(last, ["1 again=\(round)"]))
            #expect(told.count == 4 + round)
        }
        try store.close()
    }

    @Test(arguments: StoreKind.allCases)
    func `say what became of trees, and nothing that was undone`(kind: StoreKind) throws {
        let store = try open(kind)
        try store.commit()
        let follower = try store.changes()
        struct Undo: Error {}
        try store.write { change in
            let tree = try change.createTree(named: "u")
            try change.put("1", forKey: "a", in: tree)
            #expect(throws: Undo.self) {
                try change.withSavepoint { change in
                    try change.put("2", forKey: "b", in: tree)
                    _ = try change.createTree(named: "w")
                    throw Undo()
                }
            }
            try change.renameTree(named: "t", to: "v")
        }
        try store.write { change in
            let tree = try change.tree(named: "v")
            for key in ["k1", "k2"] { try change.put("1", forKey: key, in: tree) }
            #expect(try change.deleteRange(.prefix("k"), in: tree) == 3)
            #expect(try change.dropTree(named: "u"))
        }
        // Neither of these two makes a commit.
        #expect(throws: Undo.self) {
            try store.write { change in
                _ = try change.createTree(named: "x")
                throw Undo()
            }
        }
        try store.write { _ in }
        let told = try follower.told()
        #expect(told.count == 2)
        #expect(told.first == .commit(3, ["create 2 u", "2 a=1", "rename 1 t v"]))
        guard case .commit(4, let texts) = told.last else { throw Undo() }
        #expect(texts.last == "drop 2 u")
        #expect(Set(texts.suffix(4).dropLast()) == ["1 -k1", "1 -k2", "1 -key"])
        try store.close()
    }

    @Test func `of threads that share a commit are told as one`() throws {
        let store = try open()
        try store.commit()
        let follower = try store.changes()
        let held = try store.beginWrite()
        let done = Flag()
        Thread.detachNewThread {
            try? Crew.run(20) { index in
                try store.groupWrite { change in
                    try change.put("v", forKey: "\(index)", in: try change.tree(named: "t"))
                }
            }
            done.raise()
        }
        while store.group.lineCount < 20 { Thread.sleep(forTimeInterval: 0.001) }
        _ = consume held
        while !done.isRaised { Thread.sleep(forTimeInterval: 0.001) }
        let told = try follower.told()
        guard case .commit(_, let texts) = try #require(told.first) else { return }
        #expect(Set(texts) == Set((0..<20).map { "1 \($0)=v" }))
        #expect(told.count == 1)
        try store.close()
    }

    @Test(arguments: StoreKind.encrypted)
    func `are told through other keys and another secret`(kind: StoreKind) throws {
        let (writer, reader) = (try open(kind), try open(kind))
        try writer.commit(["a": "0"])
        let follower = try reader.changes()
        for round in 1...3 {
            let before = try writer.commit(["a": "\(round)"])
            #expect(try follower.told() == [.commit(before, ["1 a=\(round)"])])
            if round == 1 { try writer.rotateDataKeys() }
            if round == 2 {
                let keys = [try kind.key()].compactMap { $0 }
                try writer.reencrypt(keys: keys)
            }
            let after = try reader.commit(["b": "\(round)"])
            let told = try follower.told()
            #expect(told.last == .commit(after, ["1 b=\(round)"]))
            // Re-encryption makes commits whose changes the log does not hold, so they are told as
            // gaps.
            let gaps = told.dropLast()
            #expect(gaps.isEmpty == (round != 2) && gaps.allSatisfy { $0.isGap })
        }
        for store in [reader, writer] { try store.close() }
    }

    @Test(arguments: StoreKind.allCases)
    func `are told to readers, with a writer beside them and without one`(kind: StoreKind) throws {
        let writer = try open(kind)
        let first = try writer.commit(["a": "1"])
        let reader = try open(kind) { $0.access = .readOnly }
        let follower = try reader.changes()
        let second = try writer.commit(["b": "2"])
        #expect(try follower.told() == [.commit(second, ["1 b=2"])])
        try writer.close()
        #expect(try follower.told() == [])
        try reader.close()
        let readers = try (0..<2).map { _ in try open(kind) { $0.access = .readOnly } }
        for reader in readers {
            #expect(try reader.changes().told() == [])
            let told = try reader.changes(since: first).told()
            #expect(told == [.commit(second, ["1 b=2"])])
        }
        for reader in readers { try reader.close() }
    }

    @Test(arguments: StoreKind.allCases)
    func `stay what they are when the next are told, and when the store is closed`(
        kind: StoreKind
    ) throws {
        let (store, copies) = (try open(kind), try kind.open(scratch.path("copies")))
        let follower = try store.changes()
        var kept: [CommittedChanges] = []
        for number in 0..<5 {
            try store.commit(["\(number)": String(repeating: "\(number)", count: 3000 * number)])
            guard case .commit(let changes) = try #require(try follower.next()) else { return }
            kept.append(changes)
        }
        try store.close()
        // Each key and value can be put into another store while it is lent.
        try copies.write { change in
            let tree = try change.createTree(named: "t")
            for case .put(_, let key, let value) in kept.joined() {
                try change.put(value, forKey: key, in: tree)
            }
        }
        try copies.read { snapshot in
            let tree = try snapshot.tree(named: "t")
            for number in 0..<5 {
                let value = try snapshot.value(forKey: "\(number)", in: tree)
                #expect(value == Array(String(repeating: "\(number)", count: 3000 * number).utf8))
            }
        }
        try copies.close()
    }
}

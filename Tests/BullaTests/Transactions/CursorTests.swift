import Bulla
import BullaTestSupport
import Testing

@Suite struct `A cursor` {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func open(_ kind: StoreKind, count: Int) throws -> Store {
        let store = try kind.open(scratch.path("s.bulla")) { $0.cacheByteLimit = 4096 }
        try store.write { change in
            let tree = try change.openOrCreateTree(named: "t")
            for number in 0..<count {
                try change.put(Self.key(number), forKey: Self.key(number), in: tree)
            }
        }
        return store
    }

    private static func key(_ number: Int) -> [UInt8] {
        Array(("\(number + 10_000_000)" + String(repeating: "x", count: number % 90)).utf8)
    }

    @Test(arguments: StoreKind.allCases)
    func `walks all entries forwards and backwards`(kind: StoreKind) throws {
        let store = try open(kind, count: 5000)
        let snapshot = try store.makeSnapshot()
        var cursor = try snapshot.makeCursor(in: try snapshot.tree(named: "t"))
        var isThere = try cursor.moveToFirst()
        for number in 0..<5000 {
            #expect(try isThere && cursor.withKey { $0.equals(Self.key(number)) })
            isThere = try cursor.moveToNext()
        }
        #expect(!isThere)
        isThere = try cursor.moveToLast()
        for number in (0..<5000).reversed() {
            #expect(try isThere && cursor.withValue { $0.equals(Self.key(number)) })
            isThere = try cursor.moveToPrevious()
        }
        #expect(!isThere)
    }

    /// The cursor is on an entry, and then moves to a damaged leaf.
    @Test func `stands nowhere after a move that failed`() throws {
        try open(.gcm, count: 5000).close()
        let store = try StoreKind.gcm.open(scratch.path("s.bulla")) { $0.access = .readOnly }
        let whole = try scratch.bytes("s.bulla")
        let snapshot = try store.makeSnapshot()
        var cursor = try snapshot.makeCursor(in: try snapshot.tree(named: "t"))
        #expect(try cursor.moveToFirst())
        // Damage the pages; those already read are in the cache, and stay whole there.
        var damaged = whole
        for place in stride(from: 70_000, to: damaged.count, by: 64) { damaged[place] ^= 1 }
        try scratch.overwrite("s.bulla", with: damaged)
        let error = refusal { _ = try cursor.seek(to: Self.key(4000)) }
        #expect(error?.code == .corrupted)
        #expect(refusal { try cursor.withKey { _ in } }?.code == .invalidArgument)
        #expect(try !cursor.moveToNext())
        try scratch.overwrite("s.bulla", with: whole)
        #expect(try cursor.seek(to: Self.key(4000)))
    }

    @Test func `that stands nowhere lends nothing and goes nowhere`() throws {
        let store = try open(.gcm, count: 3)
        let snapshot = try store.makeSnapshot()
        var cursor = try snapshot.makeCursor(in: try snapshot.tree(named: "t"))
        func expectNowhere(_ cursor: inout Cursor) throws {
            var codes: [BullaError.Code?] = []
            do { try cursor.withKey { _ in } } catch { codes.append((error as? BullaError)?.code) }
            do { try cursor.withValue { _ in } } catch {
                codes.append((error as? BullaError)?.code)
            }
            do { _ = try cursor.valueByteCount } catch { codes.append(error.code) }
            #expect(codes == [.invalidArgument, .invalidArgument, .invalidArgument])
            #expect(try !cursor.moveToNext())
            #expect(try !cursor.moveToPrevious())
        }
        #expect(try !cursor.seek(to: "2"))
        try expectNowhere(&cursor)
        #expect(try cursor.moveToLast())
        #expect(try !cursor.moveToNext())
        try expectNowhere(&cursor)
        #expect(try cursor.seek(to: ""))
        #expect(try !cursor.moveToPrevious())
        try expectNowhere(&cursor)
    }

    @Test(arguments: StoreKind.allCases)
    func `that is new begins at the first entry, or going back at the last`(
        kind: StoreKind
    ) throws {
        let store = try open(kind, count: 3)
        let snapshot = try store.makeSnapshot()
        let tree = try snapshot.tree(named: "t")
        var forwards = try snapshot.makeCursor(in: tree)
        for number in 0..<3 {
            #expect(try forwards.moveToNext() && forwards.withKey { $0.equals(Self.key(number)) })
        }
        #expect(try !forwards.moveToNext())
        // It stays at the end, and does not begin again as if it were new.
        #expect(try !forwards.moveToNext())
        var backwards = try snapshot.makeCursor(in: tree)
        for number in (0..<3).reversed() {
            #expect(
                try backwards.moveToPrevious() && backwards.withKey { $0.equals(Self.key(number)) })
        }
        #expect(try !backwards.moveToPrevious())
        #expect(try !backwards.moveToNext())
    }

    @Test func `that is new lends nothing`() throws {
        let store = try open(.gcm, count: 3)
        let snapshot = try store.makeSnapshot()
        let cursor = try snapshot.makeCursor(in: try snapshot.tree(named: "t"))
        #expect(refusal { try cursor.withKey { _ in } }?.code == .invalidArgument)
    }

    @Test(arguments: StoreKind.allCases)
    func `over an empty tree finds nothing`(kind: StoreKind) throws {
        let store = try open(kind, count: 0)
        let snapshot = try store.makeSnapshot()
        var cursor = try snapshot.makeCursor(in: try snapshot.tree(named: "t"))
        #expect(try !cursor.moveToFirst())
        #expect(try !cursor.moveToLast())
        #expect(try !cursor.seek(to: "a"))
        var new = try snapshot.makeCursor(in: try snapshot.tree(named: "t"))
        #expect(try !new.moveToNext())
        #expect(try !new.moveToPrevious())
    }

    @Test func `outlives its snapshot, and keeps what it sees`() throws {
        let store = try open(.gcm, count: 2000)
        func make() throws -> Cursor {
            let snapshot = try store.makeSnapshot()
            return try snapshot.makeCursor(in: try snapshot.tree(named: "t"))
        }
        var cursor = try make()
        for _ in 0..<10 {
            try store.write { change in
                let tree = try change.tree(named: "t")
                for number in 0..<2000 { try change.put("new", forKey: Self.key(number), in: tree) }
            }
        }
        var isThere = try cursor.moveToFirst()
        var count = 0
        while isThere {
            #expect(try cursor.withValue { $0.equals(Self.key(count)) })
            count += 1
            isThere = try cursor.moveToNext()
        }
        #expect(count == 2000)
    }

    @Test func `is one of many over a cache that holds few pages`() throws {
        let store = try open(.gcm, count: 20_000)
        let snapshot = try store.makeSnapshot()
        let tree = try snapshot.tree(named: "t")
        var cursors = try (0..<200).map { number in
            let holder = CursorHolder(try snapshot.makeCursor(in: tree))
            #expect(try holder.cursor.seek(to: Self.key(number * 97)))
            return holder
        }
        for step in 0..<50 {
            for (number, holder) in cursors.enumerated() {
                let expected = Self.key(number * 97 + step)
                #expect(try holder.cursor.withKey { $0.equals(expected) })
                #expect(try holder.cursor.moveToNext())
            }
        }
        cursors.removeAll()
    }
}

/// A class that holds a noncopyable cursor, since an array cannot.
private final class CursorHolder {
    var cursor: Cursor
    init(_ cursor: consuming Cursor) { self.cursor = cursor }
}

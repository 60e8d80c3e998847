import Bulla
import Testing

@Suite struct `A cursor` {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func open(_ kind: StoreKind, count: Int) throws -> Store {
        let store = try kind.open(scratch.path("s.bulla")) { $0.cacheByteLimit = 4096 }
        try store.write { change in
            let tree = try change.createTree("t")
            for number in 0..<count { try change.put(Self.key(number), Self.key(number), in: tree) }
        }
        return store
    }

    private static func key(_ number: Int) -> [UInt8] {
        Array(("\(number + 10_000_000)" + String(repeating: "x", count: number % 90)).utf8)
    }

    @Test(arguments: StoreKind.allCases)
    func `walks all entries forwards and backwards`(kind: StoreKind) throws {
        let store = try open(kind, count: 5000)
        let snapshot = try store.snapshot()
        var cursor = try snapshot.cursor(in: try snapshot.tree("t"))
        var isThere = try cursor.first()
        for number in 0..<5000 {
            #expect(try isThere && cursor.withKey { $0.equals(Self.key(number)) })
            isThere = try cursor.next()
        }
        #expect(!isThere)
        isThere = try cursor.last()
        for number in (0..<5000).reversed() {
            #expect(try isThere && cursor.withValue { $0.equals(Self.key(number)) })
            isThere = try cursor.previous()
        }
        #expect(!isThere)
    }

    @Test func `that stands nowhere lends nothing and goes nowhere`() throws {
        let store = try open(.gcm, count: 3)
        let snapshot = try store.snapshot()
        var cursor = try snapshot.cursor(in: try snapshot.tree("t"))
        func expectNowhere(_ cursor: inout Cursor) throws {
            var codes: [BullaError.Code?] = []
            do { try cursor.withKey { _ in } } catch { codes.append((error as? BullaError)?.code) }
            do { try cursor.withValue { _ in } } catch {
                codes.append((error as? BullaError)?.code)
            }
            do { _ = try cursor.valueByteCount } catch { codes.append(error.code) }
            #expect(codes == [.invalidArgument, .invalidArgument, .invalidArgument])
            #expect(try !cursor.next())
            #expect(try !cursor.previous())
        }
        #expect(try !cursor.seek("2"))
        try expectNowhere(&cursor)
        #expect(try cursor.last())
        #expect(try !cursor.next())
        try expectNowhere(&cursor)
        #expect(try cursor.seek(""))
        #expect(try !cursor.previous())
        try expectNowhere(&cursor)
    }

    @Test(arguments: StoreKind.allCases)
    func `that is new begins at the first entry, or going back at the last`(
        kind: StoreKind
    ) throws {
        let store = try open(kind, count: 3)
        let snapshot = try store.snapshot()
        let tree = try snapshot.tree("t")
        var forwards = try snapshot.cursor(in: tree)
        for number in 0..<3 {
            #expect(try forwards.next() && forwards.withKey { $0.equals(Self.key(number)) })
        }
        #expect(try !forwards.next())
        // Over, and not new again.
        #expect(try !forwards.next())
        var backwards = try snapshot.cursor(in: tree)
        for number in (0..<3).reversed() {
            #expect(try backwards.previous() && backwards.withKey { $0.equals(Self.key(number)) })
        }
        #expect(try !backwards.previous())
        #expect(try !backwards.next())
    }

    @Test func `that is new lends nothing`() throws {
        let store = try open(.gcm, count: 3)
        let snapshot = try store.snapshot()
        let cursor = try snapshot.cursor(in: try snapshot.tree("t"))
        #expect(refusal { try cursor.withKey { _ in } }?.code == .invalidArgument)
    }

    @Test(arguments: StoreKind.allCases)
    func `over an empty tree finds nothing`(kind: StoreKind) throws {
        let store = try open(kind, count: 0)
        let snapshot = try store.snapshot()
        var cursor = try snapshot.cursor(in: try snapshot.tree("t"))
        #expect(try !cursor.first())
        #expect(try !cursor.last())
        #expect(try !cursor.seek("a"))
        var new = try snapshot.cursor(in: try snapshot.tree("t"))
        #expect(try !new.next())
        #expect(try !new.previous())
    }

    @Test func `outlives its snapshot, and keeps what it sees`() throws {
        let store = try open(.gcm, count: 2000)
        func make() throws -> Cursor {
            let snapshot = try store.snapshot()
            return try snapshot.cursor(in: try snapshot.tree("t"))
        }
        var cursor = try make()
        for _ in 0..<10 {
            try store.write { change in
                let tree = try change.tree("t")
                for number in 0..<2000 { try change.put(Self.key(number), "new", in: tree) }
            }
        }
        var isThere = try cursor.first()
        var count = 0
        while isThere {
            #expect(try cursor.withValue { $0.equals(Self.key(count)) })
            count += 1
            isThere = try cursor.next()
        }
        #expect(count == 2000)
    }

    @Test func `is one of many over a cache that holds few pages`() throws {
        let store = try open(.gcm, count: 20_000)
        let snapshot = try store.snapshot()
        let tree = try snapshot.tree("t")
        var cursors = try (0..<200).map { number in
            let holder = CursorHolder(try snapshot.cursor(in: tree))
            #expect(try holder.cursor.seek(Self.key(number * 97)))
            return holder
        }
        for step in 0..<50 {
            for (number, holder) in cursors.enumerated() {
                let expected = Self.key(number * 97 + step)
                #expect(try holder.cursor.withKey { $0.equals(expected) })
                #expect(try holder.cursor.next())
            }
        }
        cursors.removeAll()
    }
}

/// An array cannot hold a noncopyable cursor, so a class does.
private final class CursorHolder {
    var cursor: Cursor
    init(_ cursor: consuming Cursor) { self.cursor = cursor }
}

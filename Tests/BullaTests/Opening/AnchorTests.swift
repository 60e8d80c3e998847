import Bulla
import BullaTestSupport
import Testing

/// Case 16: detecting that a whole older file was restored.
@Suite struct `16. A store with an anchor` {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private var path: String { scratch.path("s.bulla") }

    private func write(_ text: String, _ kind: StoreKind) throws -> Anchor {
        let store = try kind.open(path)
        try store.write { change in
            try change.put(text, forKey: "key", in: try change.openOrCreateTree(named: "t"))
        }
        let anchor = try store.anchor
        try store.close()
        return anchor
    }

    private func open(_ anchor: Anchor, _ kind: StoreKind) throws {
        try Store.open(at: path, key: try kind.key(), notOlderThan: anchor).close()
    }

    @Test(arguments: StoreKind.allCases)
    func `opens at that moment and later`(kind: StoreKind) throws {
        let anchor = try write("one", kind)
        try open(anchor, kind)
        let later = try write("two", kind)
        #expect(later.commit > anchor.commit)
        try open(anchor, kind)
        try open(later, kind)
    }

    @Test(arguments: StoreKind.allCases)
    func `is refused where an older file was put back, which opens without one`(
        kind: StoreKind
    ) throws {
        _ = try write("one", kind)
        let old = try scratch.bytes("s.bulla")
        let anchor = try write("two", kind)
        try scratch.write(old, to: "s.bulla")
        #expect(refusal { try open(anchor, kind) }?.code == .rolledBack)
        #expect(try scratch.bytes("s.bulla") == old)
        #expect(try scratch.names() == ["s.bulla"])
        let store = try kind.open(path)
        // The same happens if the store is open already.
        #expect(refusal { try open(anchor, kind) }?.code == .rolledBack)
        try store.close()
    }

    @Test func `is refused where another store stands in its place, or none`() throws {
        let anchor = try write("one", .gcm)
        try scratch.remove("s.bulla")
        #expect(refusal { try open(anchor, .gcm) }?.code == .io)
        #expect(try scratch.names() == [])
        _ = try write("one", .gcm)
        #expect(refusal { try open(anchor, .gcm) }?.code == .rolledBack)
    }

    @Test func `has a text form, and other texts are refused`() throws {
        let anchor = try write("one", .gcm)
        #expect(Anchor(anchor.description) == anchor)
        let text = anchor.description
        for wrong in [
            "", "bulla-anchor", String(text.dropLast()) + "x", text + ":", "x" + text,
            text.replacing("anchor:1:", with: "anchor:2:"), text.replacing(":", with: ""),
            text.uppercased(), text + String(repeating: "0", count: 30),
        ] {
            #expect(Anchor(wrong) == nil, "\(wrong)")
        }
    }
}

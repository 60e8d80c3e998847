import Bulla
import BullaTestSupport

/// Everything readable in a store: the entries of each tree, in order.
struct StoreContents: Equatable {
    struct Entry: Equatable {
        let key: [UInt8]
        let value: [UInt8]
    }

    var trees: [[UInt8]: [Entry]]

    init(trees: [[UInt8]: [Entry]]) { self.trees = trees }

    /// Opens the store and reads everything, by scan and by key.
    init(of path: String, _ kind: StoreKind) throws {
        var options = StoreOptions()
        // The store is opened hundreds of times, and making a large cache takes longer than using
        // it.
        options.cacheByteLimit = 1 << 20
        let store = try Store.open(at: path, key: try kind.key(), options: options)
        try self.init(of: store)
        try store.close()
    }

    /// Reads everything, by scan and by key.
    init(of store: Store) throws {
        self.init(trees: [:])
        try store.read { snapshot in
            try snapshot.forEachTree { name, tree in
                var entries: [Entry] = []
                try snapshot.scan(tree) { key, value in
                    entries.append(Entry(key: key.copied(), value: value.copied()))
                    return .next
                }
                for entry in entries {
                    guard try snapshot.value(forKey: entry.key, in: tree) == entry.value else {
                        throw Difference()
                    }
                }
                trees[name.copied()] = entries
            }
        }
    }

    /// A scan and a lookup in one snapshot disagree.
    struct Difference: Error {}
}

/// A small closed store, with its bytes and its contents.
struct AttackedStore {
    let scratch: Scratch
    let kind: StoreKind
    let image: StoreImage
    let contents: StoreContents

    private static let name = "attacked.bulla"
    private static let halfByteCount: UInt64 = 64 << 10

    /// The pages after the log, which is empty.
    var treePages: Range<Int> {
        let pages = image.pageNumbers
        return pages.lowerBound + 2 * Int(Self.halfByteCount) / 4096..<pages.upperBound
    }

    /// - Parameters:
    ///   - versions: how many versions are written, one over the other; all have the same keys,
    ///     with different values.
    init(_ kind: StoreKind, versions: Int = 1) throws {
        self.kind = kind
        scratch = try Scratch()
        for version in 0..<versions { try Self.write(version, scratch.path(Self.name), kind) }
        contents = try StoreContents(of: scratch.path(Self.name), kind)
        image = StoreImage(try scratch.bytes(Self.name))
    }

    private static func write(_ version: Int, _ path: String, _ kind: StoreKind) throws {
        let store = try kind.open(path, pageByteCount: 4096) {
            $0.fixLog(halfByteCount: Self.halfByteCount)
        }
        try store.write { change in
            let tree = try change.openOrCreateTree(named: "pets")
            for number in 0..<60 {
                try change.put("value \(version) \(number)", forKey: "key \(number)", in: tree)
            }
            let large = [UInt8](repeating: UInt8(version + 1), count: 9000)
            try change.put(large, forKey: "large", in: try change.openOrCreateTree(named: "assets"))
        }
        try store.close()
    }

    /// The contents of the store when its file has these bytes; `nil` for an error of the store.
    ///
    /// - Throws: any other error, and errors that the machine causes.
    func outcome(of image: StoreImage) throws -> StoreContents? {
        try scratch.write(image.bytes, to: Self.name)
        do {
            return try StoreContents(of: scratch.path(Self.name), kind)
        } catch let error as BullaError where error.code != .io && error.code != .full {
            return nil
        }
    }
}

import Bulla
import BullaMemory

/// The content of a store after one of its commits.
struct Version: Equatable, Sendable {
    typealias Entries = [[UInt8]: [UInt8]]

    var commit: UInt64
    var trees: [[UInt8]: Entries]

    /// A newly made store.
    static let first = Version(commit: 1, trees: [:])

    init(commit: UInt64, trees: [[UInt8]: Entries]) {
        self.commit = commit
        self.trees = trees
    }

    /// Reads everything in a store.
    init(of store: Store, _ visibility: SnapshotVisibility) throws {
        try self.init(of: try store.makeSnapshot(visibility: visibility))
    }

    init(of snapshot: borrowing Snapshot) throws {
        var trees: [[UInt8]: Entries] = [:]
        try snapshot.forEachTree { name, tree in
            var entries: Entries = [:]
            try snapshot.scan(tree) { key, value in
                entries[key.copied()] = value.copied()
                return .next
            }
            trees[name.copied()] = entries
        }
        self.init(commit: snapshot.commit, trees: trees)
    }
}

extension RawSpan {
    /// A copy that owns its bytes.
    fileprivate func copied() -> [UInt8] { withView { $0.copied() } }
}

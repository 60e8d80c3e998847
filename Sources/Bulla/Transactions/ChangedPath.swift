internal import BullaMemory

/// A cursor's position in a tree that the log has changes for.
///
/// It holds no page between two calls. It is a class, so that a cursor that does not need it stays
/// small.
final class ChangedPath {
    private var path: MergedPath

    init(_ path: consuming MergedPath) { self.path = path }

    func goToEnd(_ order: ScanOrder, _ access: TreeAccess) throws(BullaError) -> Bool {
        try access.claim.reading { () throws(BullaError) in try path.goToEnd(access.pager, order) }
        return path.isOnEntry
    }

    func seek(to key: ByteView, _ access: TreeAccess) throws(BullaError) -> Bool {
        try access.claim.reading { () throws(BullaError) in try path.seek(access.pager, key) }
        return path.isOnEntry
    }

    func step(_ order: ScanOrder, _ access: TreeAccess) throws(BullaError) -> Bool {
        try access.claim.reading { () throws(BullaError) in try path.step(access.pager, order) }
        return path.isOnEntry
    }

    func withKey<R>(_ access: TreeAccess, _ body: (RawSpan) throws -> R) throws -> R {
        try access.claim.lending {
            switch try entry(access) {
            case .change(let key, _): return try ReaderClaim.callers { try key.withSpan(body) }
            case .leaf(let leaf): return try LeafEntry(leaf, in: access.pager).withKey(body)
            }
        }
    }

    func withValue<R>(_ access: TreeAccess, _ body: (RawSpan) throws -> R) throws -> R {
        try access.claim.lending {
            switch try entry(access) {
            case .change(_, let value): return try ReaderClaim.callers { try value.withSpan(body) }
            case .leaf(let leaf): return try LeafEntry(leaf, in: access.pager).withValue(body)
            }
        }
    }

    func valueByteCount(_ access: TreeAccess) throws(BullaError) -> Int {
        try access.claim.reading { () throws(BullaError) in
            switch try entry(access) {
            case .change(_, let value): value.byteCount
            case .leaf(let leaf): try LeafEntry(leaf, in: access.pager).valueByteCount()
            }
        }
    }

    private func entry(_ access: TreeAccess) throws(BullaError) -> MergedPath.Entry {
        guard let entry = path.entry else { throw .standsNowhere(access.core.parts.path) }
        return entry
    }
}

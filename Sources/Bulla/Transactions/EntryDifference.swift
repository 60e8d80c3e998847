internal import BullaMemory

/// An entry that two snapshots have differently, while it is lent.
public struct EntryDifference: ~Copyable {
    /// What became of the entry.
    public enum Kind: Sendable, Hashable {
        /// The newer snapshot alone has the key.
        case added
        /// The older snapshot alone has the key.
        case removed
        /// Both have the key, with different values.
        case changed
    }

    private let key: ByteView
    private let older: DifferingValue?
    private let newer: DifferingValue?

    init(_ key: ByteView, older: DifferingValue?, newer: DifferingValue?) {
        (self.key, self.older, self.newer) = (key, older, newer)
    }

    /// What became of it.
    public var kind: Kind { older == nil ? .added : newer == nil ? .removed : .changed }

    /// How many bytes the value has in the older snapshot; `nil` where there is no such key.
    public var olderByteCount: Int? { older?.byteCount }

    /// How many bytes the value has in the newer snapshot; `nil` where there is no such key.
    public var newerByteCount: Int? { newer?.byteCount }

    /// Lends the key.
    public func withKey<R, E: Error>(_ body: (RawSpan) throws(E) -> R) throws(E) -> R {
        try key.withSpan(body)
    }

    /// Lends the value that the older snapshot has; `nil` where it has none.
    ///
    /// - Throws: what `body` throws; `valueTooLarge` above 16 MiB; `corrupted`.
    /// - Complexity: one lookup.
    public func withOlderValue<R>(_ body: (RawSpan) throws -> R) throws -> R? {
        try older?.lend(key, body)
    }

    /// Lends the value that the newer snapshot has, likewise.
    public func withNewerValue<R>(_ body: (RawSpan) throws -> R) throws -> R? {
        try newer?.lend(key, body)
    }

    /// Lends the value that the older snapshot has, of any length, part by part in order, in
    /// bounded memory.
    ///
    /// - Returns: `false` where it has none.
    /// - Throws: what `body` throws; `corrupted`.
    @discardableResult
    public func streamOlderValue(_ body: (RawSpan) throws -> Void) throws -> Bool {
        try older?.stream(key, body) ?? false
    }

    /// Lends the value that the newer snapshot has, likewise.
    @discardableResult
    public func streamNewerValue(_ body: (RawSpan) throws -> Void) throws -> Bool {
        try newer?.stream(key, body) ?? false
    }
}

/// Where the value of an entry is looked up.
struct DifferingValue {
    let access: TreeAccess
    let tree: Tree
    let byteCount: Int

    fileprivate func lend<R>(_ key: ByteView, _ body: (RawSpan) throws -> R) throws -> R? {
        try access.withValue(tree, key) { value in try value.withSpan(body) }
    }

    fileprivate func stream(_ key: ByteView, _ body: (RawSpan) throws -> Void) throws -> Bool {
        try key.withSpan { key in try access.streamValue(tree, key, body) }
    }
}

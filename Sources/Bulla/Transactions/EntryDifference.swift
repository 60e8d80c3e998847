internal import BullaMemory

/// An entry that differs between two snapshots, valid while it is lent.
public struct EntryDifference: ~Copyable {
    /// How an entry differs.
    public enum Kind: Sendable, Hashable {
        /// Only the newer snapshot has the key.
        case added
        /// Only the older snapshot has the key.
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

    /// How the entry differs.
    public var kind: Kind { older == nil ? .added : newer == nil ? .removed : .changed }

    /// The length in bytes of the value in the older snapshot; `nil` if the key is missing there.
    public var olderByteCount: Int? { older?.byteCount }

    /// The length in bytes of the value in the newer snapshot; `nil` if the key is missing there.
    public var newerByteCount: Int? { newer?.byteCount }

    /// Lends the key.
    public func withKey<R, E: Error>(_ body: (RawSpan) throws(E) -> R) throws(E) -> R {
        try key.withSpan(body)
    }

    /// Lends the value in the older snapshot; `nil` if the key is missing there.
    ///
    /// - Throws: what `body` throws; `valueTooLarge` above 16 MiB; `corrupted`.
    /// - Complexity: one lookup.
    public func withOlderValue<R>(_ body: (RawSpan) throws -> R) throws -> R? {
        try older?.lend(key, body)
    }

    /// Lends the value in the newer snapshot; `nil` if the key is missing there.
    ///
    /// - Throws: what `body` throws; `valueTooLarge` above 16 MiB; `corrupted`.
    /// - Complexity: one lookup.
    public func withNewerValue<R>(_ body: (RawSpan) throws -> R) throws -> R? {
        try newer?.lend(key, body)
    }

    /// Lends the value in the older snapshot part by part, in order and in bounded memory, whatever
    /// its length.
    ///
    /// - Returns: `false` if the older snapshot does not have the key.
    /// - Throws: what `body` throws; `corrupted`.
    @discardableResult
    public func streamOlderValue(_ body: (RawSpan) throws -> Void) throws -> Bool {
        try older?.stream(key, body) ?? false
    }

    /// Lends the value in the newer snapshot part by part, in order and in bounded memory, whatever
    /// its length.
    ///
    /// - Returns: `false` if the newer snapshot does not have the key.
    /// - Throws: what `body` throws; `corrupted`.
    @discardableResult
    public func streamNewerValue(_ body: (RawSpan) throws -> Void) throws -> Bool {
        try newer?.stream(key, body) ?? false
    }
}

/// Where to look up the value of an entry.
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

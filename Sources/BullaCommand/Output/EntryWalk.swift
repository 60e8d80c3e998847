internal import Bulla
internal import BullaText

/// Iterates over the entries of a tree, and lends each value in parts, so that memory does not
/// limit the length of a value.
struct EntryWalk: ~Copyable {
    /// The length in bytes of the longest value that is lent in one piece.
    private static let wholeValueByteLimit = 1 << 20

    private let tree: Tree
    private let bounds: KeyBounds
    private let order: ScanOrder
    private var cursor: Cursor
    private var hasBegun = false
    /// The key of the current entry.
    private(set) var key: [UInt8] = []

    init(
        _ snapshot: borrowing Snapshot, _ tree: Tree, _ bounds: KeyBounds = KeyBounds(),
        order: ScanOrder = .ascending
    ) throws {
        self.tree = tree
        self.bounds = bounds
        self.order = order
        cursor = try snapshot.makeCursor(in: tree)
    }

    /// Moves to the next entry.
    ///
    /// - Returns: `false` if there is none within the bounds.
    mutating func next() throws -> Bool {
        let stands = try hasBegun ? step() : begin()
        hasBegun = true
        guard stands else { return false }
        key.removeAll(keepingCapacity: true)
        // The closure appends to a local variable, because it must not change `self` while the
        // cursor, a part of `self`, is in use.
        var key = key
        try cursor.withKey { key.append($0) }
        self.key = key
        return order == .ascending ? bounds.isBelowUpper(key) : bounds.isFromLower(key)
    }

    private mutating func begin() throws -> Bool {
        switch (order, bounds.upper) {
        case (.ascending, _):
            return try bounds.lower.isEmpty ? cursor.moveToFirst() : cursor.seek(to: bounds.lower)
        case (.descending, nil): return try cursor.moveToLast()
        case (.descending, let upper?):
            return try cursor.seek(to: upper) ? cursor.moveToPrevious() : cursor.moveToLast()
        }
    }

    private mutating func step() throws -> Bool {
        try order == .ascending ? cursor.moveToNext() : cursor.moveToPrevious()
    }

    /// How many bytes the value has.
    var valueByteCount: Int { get throws(BullaError) { try cursor.valueByteCount } }

    /// Lends the value in consecutive parts; for an empty value, one empty part or none.
    ///
    /// - Parameter snapshot: the snapshot that the walk reads.
    borrowing func withValueParts(
        of snapshot: borrowing Snapshot, _ body: (RawSpan) throws -> Void
    ) throws {
        if try cursor.valueByteCount <= Self.wholeValueByteLimit {
            try cursor.withValue(body)
        } else {
            _ = try snapshot.streamValue(forKey: key, in: tree, body)
        }
    }
}

import Bulla

/// What a ``CursorWalk`` moves.
protocol WalkedCursor: ~Copyable {
    mutating func moveToFirst() throws(BullaError) -> Bool
    mutating func moveToLast() throws(BullaError) -> Bool
    mutating func moveToNext() throws(BullaError) -> Bool
    mutating func moveToPrevious() throws(BullaError) -> Bool
    mutating func seek(to key: some ByteSource) throws(BullaError) -> Bool
    func withKey<R>(_ body: (RawSpan) throws -> R) throws -> R
    func withValue<R>(_ body: (RawSpan) throws -> R) throws -> R
    var valueByteCount: Int { get throws(BullaError) }
}

extension Cursor: WalkedCursor {}

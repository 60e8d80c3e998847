internal import Synchronization

/// Checks that the store's files are still where they were opened.
final class PlaceCheck: Sendable {
    private let parts: StoreParts
    private let world: World
    /// When `check(unlessWithin:)` last found the files in their places.
    private let lastSeen = Mutex<ContinuousClock.Instant?>(nil)

    /// How old the last check may be for a relaxed commit, or for a caller that waits until a
    /// commit is durable.
    static let age: Duration = .milliseconds(1)

    init(_ parts: StoreParts, _ world: World) { (self.parts, self.world) = (parts, world) }

    /// Throws if the files were deleted or replaced.
    func check() throws(BullaError) {
        guard try parts.storage.identity(of: parts.path) == parts.file.identity else {
            throw replaced(parts.path)
        }
        guard try world.isInPlace(parts.storage) else { throw replaced(world.path) }
    }

    /// Does what ``check()`` does, unless this function found the files in their places less than
    /// `age` ago.
    func check(unlessWithin age: Duration) throws(BullaError) {
        let now = ContinuousClock.now
        let isFresh = lastSeen.withLock { last in last.map { now - $0 < age } ?? false }
        if isFresh { return }
        try check()
        lastSeen.withLock { $0 = now }
    }

    private func replaced(_ path: String) -> BullaError {
        BullaError(
            .replaced,
            "commit to \(parts.path): \(path) was deleted, or another file stands in its place; "
                + "close the store everywhere and open it again")
    }
}

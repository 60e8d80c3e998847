internal import BullaMemory

/// The content of one commit, in memory that core dumps leave out and a forked child finds empty.
///
/// The follower that reads the commit fills the content. After that, the content does not change as
/// long as anything but that follower refers to it.
final class CommitContent: @unchecked Sendable {
    // `@unchecked`: it changes only while nobody but its follower refers to it.

    private var rooms: [ScratchBuffer] = []
    private var frames: [LogFrame] = []

    /// Returns memory for the content of a frame.
    ///
    /// - Parameter part: how many frames of the same commit came before.
    func room(_ byteCount: Int, part: Int) throws(BullaError) -> MutableByteView {
        // Do not keep the memory of many parts for the next commit.
        if part == 0 { rooms.removeLast(max(rooms.count - 1, 0)) }
        invariant(part <= rooms.count, "the parts of a commit come one after the other")
        while rooms.count <= part { rooms.append(try Buffer.make(byteCount)) }
        if rooms[part].bytes.byteCount < byteCount { rooms[part] = try Buffer.make(byteCount) }
        return rooms[part].bytes.slice(0, byteCount)
    }

    /// Keeps a commit whose frames were opened into memory from ``room(_:part:)``.
    func keep(_ frames: [LogFrame]) {
        invariant(!frames.isEmpty && frames.count <= rooms.count, "each frame lies in a room")
        self.frames = frames
    }

    /// Whether the commit is a root frame, which names new trees and has no operations.
    var isRoot: Bool { frames.first?.kind == .root }

    /// Throws if the commit is one that no correct writer could have produced.
    ///
    /// - Throws: `corrupted` for bytes that are not an operation.
    func validate(_ format: PageFormat) throws(BullaError) {
        for frame in frames {
            var operations = frame.operations(format)
            while try operations.next() != nil {}
        }
    }

    /// The operations of a part; `nil` after the last part.
    func operations(part: Int, _ format: PageFormat) -> LogOperations? {
        part < frames.count ? frames[part].operations(format) : nil
    }

    func wipe() {
        for room in rooms { room.wipe() }
    }
}

/// A sink that takes one commit after another, and reuses the memory of the previous commit unless
/// somebody else refers to that commit.
final class CommitCollector: LogSink, @unchecked Sendable {
    // `@unchecked`: only one thread at a time uses the follower that the collector belongs to.

    private let format: PageFormat
    /// The content of the last commit.
    private(set) var content = CommitContent()

    init(_ format: PageFormat) { self.format = format }

    /// Whether the last commit is a root frame, which names new trees.
    var isRoot: Bool { content.isRoot }

    /// Throws if the last commit is one that no correct writer could have produced.
    ///
    /// - Throws: `corrupted`.
    func validate() throws(BullaError) { try content.validate(format) }

    func room(_ byteCount: Int, part: Int) throws(BullaError) -> MutableByteView {
        // If somebody still refers to the last commit, that commit keeps its memory.
        if part == 0, !isKnownUniquelyReferenced(&content) { content = CommitContent() }
        return try content.room(byteCount, part: part)
    }

    func begin(at position: LogPosition) throws(BullaError) {}

    func take(_ commit: LogCommit) throws(BullaError) { content.keep(commit.frames) }

    /// Wipes the memory of the last commit, unless somebody else refers to it.
    func wipe() {
        if isKnownUniquelyReferenced(&content) { content.wipe() }
    }
}

package import BullaMemory

/// A commit as the log has it: one frame, or several parts.
package struct LogCommit {
    package let frames: [LogFrame]
    /// The position after the commit.
    package let position: LogPosition

    package var commit: UInt64 { position.commit }

    /// Whether the commit names new trees: if so, its only frame is a root frame, which holds the
    /// record of these trees.
    package var isRoot: Bool { frames.first?.kind == .root }

    /// The record of the new trees, which also says where the log continues after the commit; `nil`
    /// if the commit names no trees.
    ///
    /// - Throws: `corrupted` for a record that cannot be this commit's.
    func root(_ format: PageFormat) throws(BullaError) -> CommitRecord? {
        guard isRoot, let frame = frames.first else { return nil }
        invariant(frames.count == 1, "a root frame is the whole of its commit")
        var record = try frame.root(format)
        record.log = record.log.moved(to: position)
        return record
    }
}

/// Takes the commits that a follower reads; a sink is usually a memtable.
package protocol LogSink: AnyObject {
    /// Returns memory for the content of a frame.
    ///
    /// The sink owns the memory, and decides how long the content stays there. If the frame turns
    /// out to be invalid, or its commit to be incomplete, no commit refers to the memory.
    ///
    /// - Parameter part: how many frames of the same commit came before.
    func room(_ byteCount: Int, part: Int) throws(BullaError) -> MutableByteView
    /// Drops everything that the sink has taken; the follower now hands over the commits after
    /// `position`.
    func begin(at position: LogPosition) throws(BullaError)
    /// Takes a commit.
    func take(_ commit: LogCommit) throws(BullaError)
}

/// A sink for callers that only ask which commits are valid: it keeps no operations, only the
/// record of the last root frame.
///
/// All parts of a commit share one piece of memory, so only the newest part's content is valid.
final class DroppedCommits: LogSink {
    /// The trees that the last root frame has named.
    private(set) var root: CommitRecord?
    private let format: PageFormat?
    private var buffer: ScratchBuffer?

    func room(_ byteCount: Int, part: Int) throws(BullaError) -> MutableByteView {
        if let buffer, buffer.bytes.byteCount >= byteCount {
            return buffer.bytes.slice(0, byteCount)
        }
        let larger = try Buffer.make(byteCount)
        buffer = larger
        return larger.bytes.slice(0, byteCount)
    }

    /// - Parameter format: the store's format, for reading root frames' records; if it is `nil`, no
    ///   record is kept.
    init(rootsOf format: PageFormat? = nil) { self.format = format }

    func begin(at position: LogPosition) throws(BullaError) { root = nil }

    func take(_ commit: LogCommit) throws(BullaError) {
        guard let format, let found = try commit.root(format) else { return }
        root = found
    }
}

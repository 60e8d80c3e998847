internal import BullaCipher
internal import BullaMemory

/// Passes commits on to a sink, and remembers what recovery needs to know about them.
final class ReplayRecord<Sink: LogSink>: LogSink {
    private let sink: Sink
    private let mark: LogPosition
    /// The places where the commits end, beginning with that of the commit ``first``.
    private var ends: ContiguousArray<LogPlace>
    /// The commit after which replay begins, or a later one that is known to be durable.
    private var first: UInt64
    /// Whether the log has the very commit that the mark names, or begins after it.
    private(set) var hasMark: Bool

    init(_ sink: Sink, from start: LogPosition, mark: LogPosition) {
        self.sink = sink
        self.mark = mark
        first = start.commit
        ends = [start.place]
        hasMark = mark.commit < start.commit || mark.commit == start.commit && mark.tag == start.tag
    }

    func room(_ byteCount: Int, part: Int) throws(BullaError) -> MutableByteView {
        try sink.room(byteCount, part: part)
    }

    func begin(at position: LogPosition) throws(BullaError) { try sink.begin(at: position) }

    func take(_ commit: LogCommit) throws(BullaError) {
        forget(before: commit.frames.first?.durable ?? 0)
        invariant(
            commit.commit == first + UInt64(ends.count), "commits are replayed without a gap")
        ends.append(commit.position.place)
        if commit.commit == mark.commit { hasMark = commit.position.tag == mark.tag }
        try sink.take(commit)
    }

    /// Drops the ends of commits before a durable one, because nobody will ask for them.
    private func forget(before durable: UInt64) {
        let count = min(Int(clamping: durable.subtractingOrZero(first)), ends.count - 1)
        // This is not done for each commit, because a removal moves all the ends that stay.
        guard count > max(ends.count / 2, Self.keptCount) else { return }
        ends.removeFirst(count)
        first += UInt64(count)
    }

    private static var keptCount: Int { 64 }

    /// The ranges of the log between the end of a durable commit and a later place.
    func ranges(after commit: UInt64, to end: LogPlace) -> [LogRange] {
        invariant(
            commit >= first && commit - first < UInt64(ends.count),
            "the end of a commit is remembered that is known to be durable")
        var start = ends[Int(commit - first)]
        // The header before the first frame of a half may not be durable either.
        if start.offset == SegmentHeader.frameOffset { start.offset = 0 }
        guard start.sequence != end.sequence else {
            return start == end
                ? [] : [LogRange(sequence: end.sequence, bytes: start.offset..<end.offset)]
        }
        let former = ends.last { $0.sequence == start.sequence } ?? start
        return [
            LogRange(sequence: start.sequence, bytes: start.offset..<former.offset),
            LogRange(sequence: end.sequence, bytes: 0..<end.offset),
        ]
    }
}

internal import BullaCipher
internal import BullaMemory

/// How following the log ended.
package enum LogEnding: Equatable, Sendable {
    /// At the commit that was asked for.
    case reached
    /// Nothing follows, and no header says that the log continues elsewhere.
    case end(FrameAbsence)
    /// The frames after the follower's place are gone, because a half was reused: the one that the
    /// follower stands in, or the other one, in which the log continued.
    case overtaken
}

/// Reads the log from a known place on, across segments and halves.
///
/// The next frame is valid if it authenticates in its place, and repeats the tag of the frame that
/// precedes it. How far to read is all that the words in shared memory say. A follower stops at the
/// last announced commit. The holder of the writer lock looks past that commit. So does the holder
/// of the lock on the trees, to find root frames.
package struct LogFollower: ~Copyable, Sendable {
    /// The position after the last whole commit, or at the first frame of a segment that a writer
    /// has begun after that commit.
    package private(set) var position: LogPosition
    /// Where following began, or last began anew.
    package private(set) var origin: LogPosition
    /// The segments that ``position`` may lie in: one; two if the write of one header over another
    /// was torn; none if no segment has begun, or its header is damaged.
    private(set) var segments: [LogSegment]
    /// The newest durable commit, according to the headers and frames that were read.
    package private(set) var durable: UInt64
    private let log: LogFile
    /// Whether commit numbers can have gaps, left by checkpoints that changed no entries.
    private var isSkipping: Bool
    /// How many times either half had been moved when following began at ``origin``.
    private var moveCount: Int
    private var reader: LogReader

    /// - Parameters:
    ///   - position: the place that a meta slot or a record names; it is trusted.
    ///   - isSkipping: whether commit numbers may have gaps. The checkpoint at the last close can
    ///     take a number that no frame has; only a follower that begins before the newest
    ///     checkpoint meets such a gap.
    package init(
        _ log: LogFile, _ keys: LogKeys, at position: LogPosition, isSkipping: Bool = false
    ) throws(BullaError) {
        try position.checkPlace(in: log)
        // Read the count before the segments, so that `hasMoved` reports a move in the meantime.
        let moveCount = log.moveCount
        let reader = try LogReader(log, keys)
        segments = try reader.segments(reaching: position)
        self.moveCount = moveCount
        self.reader = reader
        self.log = log
        self.isSkipping = isSkipping
        self.position = position
        origin = position
        durable = position.commit
    }

    /// Whether a half was moved since following began at ``origin``.
    var hasMoved: Bool { log.moveCount != moveCount }

    /// Begins anew elsewhere.
    ///
    /// - Parameter begin: called before the follower moves.
    /// - Throws: as `init`, and what `begin` throws; then the follower has not moved.
    package mutating func move(
        to position: LogPosition, begin: () throws(BullaError) -> Void = {}
    ) throws(BullaError) {
        try position.checkPlace(in: log)
        reader.forgetBeginnings()
        let segments = try reader.segments(reaching: position)
        try begin()
        self.segments = segments
        isSkipping = false
        self.position = position
        origin = position
        durable = position.commit
        moveCount = log.moveCount
    }

    /// Moves past commits that this process has appended, and so need not read.
    ///
    /// - Parameter segment: the segment that they lie in.
    mutating func pass(_ position: LogPosition, _ segment: LogSegment?) {
        self.position = position
        segments = segment.map { [$0] } ?? []
    }

    /// Follows up to a commit, or to the end of the log with `.max`.
    ///
    /// - Parameters:
    ///   - limit: a commit that was announced, or is known to be durable; or `.max`.
    ///   - isWriter: whether the caller holds the writer lock, so that nobody else begins a half.
    /// - Returns: ``LogEnding/reached`` if the last commit is `limit` or a newer one.
    /// - Throws: `io`; `outOfMemory`; `corrupted` for a frame that authenticates but cannot be
    ///   there.
    package mutating func follow(
        to limit: UInt64, _ sink: some LogSink, isWriter: Bool = false
    ) throws(BullaError) -> LogEnding {
        while position.commit < limit {
            if case .nothing(let absence) = try next(sink) {
                return try isOvertaken(isWriter) ? .overtaken : .end(absence)
            }
        }
        return .reached
    }

    private enum Next {
        case commit
        case nothing(FrameAbsence)
    }

    /// Moves to the next whole commit.
    private mutating func next(_ sink: some LogSink) throws(BullaError) -> Next {
        var frames: [LogFrame] = []
        var (here, segments) = (position, self.segments)
        while true {
            let step = try reader.next(here, segments) { count throws(BullaError) in
                try sink.room(count, part: frames.count)
            }
            switch step {
            case .nothing(let absence): return .nothing(absence)
            case .segments(let found):
                // All parts of a commit lie in one segment, so the parts before this segment do not
                // make a commit.
                guard frames.isEmpty else { return .nothing(.notNext) }
                enter(found)
                (here, segments) = (position, found)
            case .frame(let frame, let segment):
                try check(frame, after: frames)
                frames.append(frame)
                segments = [segment]
                here.place.offset += UInt64(frame.byteCount)
                here.tag = frame.tag
                if frame.kind != .part { return try finish(frames, here, segment, sink) }
            }
        }
    }

    /// Moves to the first frame of a segment; if two segments were found, that frame opens under
    /// the keys of only one of them.
    private mutating func enter(_ found: [LogSegment]) {
        guard let first = found.first else { return }
        invariant(
            first.firstPlace.sequence > position.place.sequence
                || first.firstPlace.offset > position.place.offset,
            "segments are entered forwards")
        segments = found
        durable = found.map(\.header.durableCommit).reduce(durable, max)
        position.place = first.firstPlace
        position.segment = first.offset
        position.tag = first.header.previous
    }

    private mutating func finish(
        _ frames: [LogFrame], _ end: LogPosition, _ segment: LogSegment, _ sink: some LogSink
    ) throws(BullaError) -> Next {
        var end = end
        end.commit = frames.first?.commit ?? end.commit
        invariant(end.commit > position.commit, "commits are followed in their order")
        invariant(end.segment == segment.offset, "a commit ends in the segment that it lies in")
        // Move on only after the sink has the commit, so that what it could not take is read again.
        try sink.take(LogCommit(frames: frames, position: end))
        segments = [segment]
        position = end
        durable = frames.map(\.durable).reduce(durable, max)
        return .commit
    }

    /// Throws for a frame that is out of order; because the frame authenticates, it cannot be torn,
    /// or a remnant of an earlier use of the half.
    private func check(_ frame: LogFrame, after parts: [LogFrame]) throws(BullaError) {
        let isInside = frame.kind == .part || frame.kind == .lastPart
        let isInOrder = parts.isEmpty ? frame.kind != .lastPart : isInside
        let isNext = parts.first.map { $0.commit == frame.commit } ?? isNumbered(frame)
        guard isNext, isInOrder else {
            throw BullaError(
                .corrupted,
                "follow the log after commit \(position.commit): the next frame belongs to commit "
                    + "\(frame.commit)", commit: frame.commit)
        }
    }

    /// Whether the first frame of a commit has the right number.
    private func isNumbered(_ frame: LogFrame) -> Bool {
        isSkipping ? frame.commit > position.commit : frame.commit == position.commit + 1
    }

    /// Whether the headers say that the follower was overtaken (``LogEnding/overtaken``).
    ///
    /// The follower has just found that nothing follows. It reads the headers again, because others
    /// may have begun a half meanwhile. Under the writer lock nobody else can do that, so a writer
    /// uses the headers that it has already read.
    private mutating func isOvertaken(_ isWriter: Bool) throws(BullaError) -> Bool {
        let here = position.place.sequence
        let known = isWriter ? reader.lastBeginning(of: here + 1) : nil
        let headers = if let known { known } else { try reader.beginning(of: here + 1) }
        let there = headers.map(\.header.sequence)
        if there.contains(where: { $0 > here + 1 }) { return true }
        // This half is reused only after the other half has been reused. So if the newest use of
        // the other half is older than the use that the follower stands in, this half was not
        // reused.
        guard there.isEmpty || there.contains(where: { $0 > here }) else { return false }
        return try reader.beginning(of: here).contains { $0.header.sequence > here }
    }
}

extension LogPosition {
    /// - Throws: `corrupted` for a place that the log does not have.
    fileprivate func checkPlace(in log: LogFile) throws(BullaError) {
        guard !isPlausible(halfByteCount: log.byteCount(place.sequence)) else { return }
        throw BullaError(
            .corrupted,
            "follow the log from commit \(commit): byte \(place.offset) of use "
                + "\(place.sequence) is not a place in it", commit: commit)
    }
}

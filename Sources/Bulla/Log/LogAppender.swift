internal import BullaCipher
internal import BullaMemory

/// Appends commits to the log, for a writer that holds the writer lock and has read to the log's
/// end.
///
/// A commit stands, announced or not, once its last frame is whole in its place: from then on it
/// cannot be taken back. So everything that can fail is checked or done before that frame is
/// written. If that write fails, the appender looks at what is there now. If the frame is whole,
/// the commit stands nevertheless. Otherwise the caller takes the commit back (``takeBack()``), and
/// the next one overwrites it.
package struct LogAppender: ~Copyable {
    /// The position after the last commit.
    package private(set) var position: LogPosition
    package let world: Identifier
    /// The key epoch in use; only a segment under this epoch's secret is continued.
    package var keyEpoch: UInt64 = .max
    let log: LogFile
    let keys: LogKeys
    /// The segment that ends at the position, if it belongs to this world.
    private(set) var segment: LogSegment?
    /// Whether the position is the end of the log, as far as the appender knows.
    private(set) var hasCaughtUp = true
    /// Whether an incomplete commit may lie after the position.
    private var hasRemains = false
    /// The memory in which frames and headers are sealed.
    private var buffer: ScratchBuffer

    /// - Parameters:
    ///   - world: the world of the processes that have the file open now.
    ///   - follower: a follower that has caught up.
    package init(
        _ log: LogFile, _ keys: LogKeys, world: Identifier, after follower: borrowing LogFollower
    ) throws(BullaError) {
        self.log = log
        self.keys = keys
        self.world = world
        buffer = try Buffer.make(SegmentHeader.copyByteLimit)
        position = follower.position
        move(to: follower)
    }

    /// Moves to the position of a follower that has caught up.
    package mutating func move(to follower: borrowing LogFollower) {
        position = follower.position
        hasCaughtUp = true
        hasRemains = false
        segment = nil
        guard follower.segments.count == 1, let last = follower.segments.first else { return }
        let isOwn = last.header.world == world
        if isOwn || PlantedBug.isPlanted(.otherWorldAppended) { segment = last }
        invariant(
            last.header.sequence == position.place.sequence && last.offset == position.segment,
            "the last segment is the one in which the log ends")
    }

    /// Where the next commit goes.
    enum Room: Equatable {
        /// Right after the last commit.
        case here
        /// Into a new segment that begins at this place.
        case segment(LogPlace)
        /// Into the other half, but only after a checkpoint has freed it.
        case otherHalf
        /// Nowhere: the other half is too short for the commit.
        case none
    }

    /// Whether a commit has to wait for a checkpoint.
    ///
    /// A commit has to wait if the half in use has no room for it, and the other half either is not
    /// free yet, or is too short until a checkpoint grows it.
    ///
    /// - Parameter oldest: as in ``append(_:durable:oldest:)``.
    package func needsCheckpoint(_ draft: borrowing LogDraft, oldest: UInt64?) -> Bool {
        [.otherHalf, .none].contains(room(for: draft, oldest: oldest))
    }

    /// Where a commit would go.
    ///
    /// - Parameter oldest: as in ``append(_:durable:oldest:)``.
    func room(for draft: borrowing LogDraft, oldest: UInt64?) -> Room {
        let place = position.place
        let goesOn = segment.map { mayGoOn($0) } ?? false
        if goesOn {
            if log.room(at: place) >= needed(draft) { return .here }
        } else if hasRoom(in: place.sequence, from: position.nextSegment, for: draft) {
            return .segment(LogPlace(sequence: place.sequence, offset: position.nextSegment))
        }
        let next = LogPlace(sequence: place.sequence + 1, offset: 0)
        guard hasRoom(in: next.sequence, from: 0, for: draft) else { return .none }
        let isFree = oldest.map { $0 >= place.sequence } ?? false
        return isFree ? .segment(next) : .otherHalf
    }

    private func mayGoOn(_ segment: LogSegment) -> Bool {
        !segment.cipher.isExhausted && segment.secret == keys.secret(epoch: keyEpoch)
    }

    private func hasRoom(
        in sequence: UInt64, from offset: UInt64, for draft: borrowing LogDraft
    ) -> Bool {
        let place = LogPlace(sequence: sequence, offset: offset)
        return log.room(at: place) >= SegmentHeader.frameOffset + needed(draft)
    }

    /// How many bytes must be free for a commit.
    ///
    /// Unless the commit is a root frame, this includes a reserve, so that a root frame still has
    /// room after it, even in a segment of its own.
    private func needed(_ draft: borrowing LogDraft) -> UInt64 {
        guard !draft.isRoot else { return draft.frameByteCount }
        return draft.frameByteCount + Self.rootReserve
    }

    /// Whether a root frame still fits into the half in which the log ends.
    var keepsRootFrame: Bool { log.room(at: position.place) >= Self.rootReserve }

    static let rootReserve =
        SegmentHeader.blockByteCount + SegmentHeader.frameOffset
        + UInt64(FrameFormat.byteCount(bodyByteCount: CommitField.byteCount))

    /// Appends a commit under the number that follows the last commit's.
    ///
    /// The caller announces the commit, which is durable once a flush has covered it.
    ///
    /// - Parameters:
    ///   - draft: the commit's content, which is not changed.
    ///   - durable: how far the log is known to be flushed.
    ///   - oldest: the smallest sequence that a meta slot or the checkpoint's record names; a use
    ///     of a half is no longer needed if its sequence is smaller. `nil` if no half is free.
    /// - Returns: the position after the commit; `nil`, with nothing begun, if the commit has to
    ///   wait for a checkpoint.
    /// - Throws: `full`, `io`, `outOfMemory`. Then nobody has been told of the commit, and the
    ///   caller has to catch up before it appends again.
    package mutating func append(
        _ draft: borrowing LogDraft, durable: LogPosition, oldest: UInt64?
    ) throws(BullaError) -> LogPosition? {
        precondition(hasCaughtUp, "a writer whose append has failed catches up first")
        let room = room(for: draft, oldest: oldest)
        guard ![.otherHalf, .none].contains(room) else { return nil }
        let former = position
        hasCaughtUp = false
        if case .segment(let place) = room { try beginSegment(at: place, durable) }
        hasRemains = true
        position = try write(draft, durable.commit)
        hasRemains = false
        hasCaughtUp = true
        invariant(position.commit == former.commit + 1, "one commit is appended at a time")
        invariant(position.place.isBehind(former.place), "the log grows forwards")
        invariant(
            position.place.offset <= log.byteCount(position.place.sequence),
            "a commit ends in its half")
        return position
    }

    /// Takes back what a failed ``append(_:durable:oldest:)`` may have left.
    ///
    /// It writes zeros over the head of the first frame, so that no frame is valid there, whatever
    /// becomes of the rest. The caller still holds the writer lock under which it appended, and has
    /// told nobody of the commit.
    ///
    /// - Throws: `io`; then nobody knows what the place holds, and the caller must poison the log.
    package mutating func takeBack() throws(BullaError) {
        guard hasRemains, !PlantedBug.isPlanted(.failedFrameLeft) else { return }
        invariant(!hasCaughtUp, "what was appended is not taken back")
        try MutableByteView.withTemporary(byteCount: FrameField.nonce.offset) {
            head throws(BullaError) in
            head.fill(0, head.byteCount)
            try log.write(head.view, at: position.place)
        }
        hasRemains = false
    }

    /// Writes the frames of a commit, and returns the position after them.
    private mutating func write(
        _ draft: borrowing LogDraft, _ durable: UInt64
    ) throws(BullaError) -> LogPosition {
        guard let segment else { preconditionFailure("a segment was begun") }
        invariant(
            segment.header.sequence == position.place.sequence
                && segment.offset == position.segment,
            "frames are sealed by the keys of the segment that they lie in")
        invariant(hasRemains && !hasCaughtUp, "a frame that is written may stay cut off")
        var end = position
        for (index, part) in draft.parts.enumerated() {
            let count = part.builder.frameByteCount
            if buffer.bytes.byteCount < count { buffer = try Buffer.make(count) }
            let frame = buffer.bytes.slice(0, count)
            let tag = try part.builder.seal(
                as: draft.kind(of: index), commit: position.commit + 1, durable: durable,
                at: end.place, after: end.tag, with: segment.cipher, into: frame)
            try write(frame.view, at: end.place, isLast: index == draft.partCount - 1)
            end.place.offset += UInt64(count)
            end.tag = tag
        }
        end.commit += 1
        return end
    }

    private func write(
        _ frame: ByteView, at place: LogPlace, isLast: Bool
    ) throws(BullaError) {
        do throws(BullaError) { try log.write(frame, at: place) } catch {
            // Another process may have read the last frame, so if that frame is whole, the commit
            // stands.
            guard isLast, isWritten(frame, at: place) else { throw error }
        }
    }

    private func isWritten(_ frame: ByteView, at place: LogPlace) -> Bool {
        guard let found = try? Buffer.make(frame.byteCount) else { return false }
        let bytes = found.bytes.slice(0, frame.byteCount)
        guard (try? log.read(bytes, at: place)) != nil else { return false }
        return bytes.view == frame
    }

    /// Begins a segment of this world, by writing its header twice.
    ///
    /// It writes zeros where the former segment would continue, and between the header's two
    /// copies, so that nothing of the half's former content is left there. The flush that makes the
    /// segment's first commit durable covers all of this.
    private mutating func beginSegment(
        at place: LogPlace, _ durable: LogPosition
    ) throws(BullaError) {
        let header = SegmentHeader(
            random: try .drawn(), world: world, sequence: place.sequence,
            previous: position.tag, durableCommit: durable.commit, durablePlace: durable.place)
        let current = try keys.keys(epoch: keyEpoch)
        let next = try current.segment(header, at: place.offset)
        let isBehind = place.sequence == position.place.sequence
        invariant(
            place.isBehind(position.place) || place == position.place,
            "a segment begins where the log ends, or later")
        invariant(isBehind || place.offset == 0, "a half is begun at its beginning")
        var start = isBehind ? position.place.offset : place.offset
        for copy in 0..<SegmentHeader.copyCount {
            let offset = SegmentHeader.offset(of: copy, segment: place.offset)
            let gap = Int(offset - start)
            invariant(
                gap + SegmentField.byteCount <= SegmentHeader.copyByteLimit,
                "a copy of a header lies close behind what is before it")
            let bytes = buffer.bytes.slice(0, gap + SegmentField.byteCount)
            bytes.fill(0, gap)
            try current.seal.write(
                header, segment: place.offset, copy: copy,
                into: bytes.slice(gap, SegmentField.byteCount))
            try log.write(bytes.view, at: LogPlace(sequence: place.sequence, offset: start))
            start = offset + UInt64(SegmentField.byteCount)
        }
        segment = next
        position.place = next.firstPlace
        position.segment = next.offset
    }
}

extension LogPlace {
    /// Whether this place comes after another one, in the same use of a half or in a later use.
    fileprivate func isBehind(_ other: LogPlace) -> Bool {
        sequence == other.sequence ? offset > other.offset : sequence > other.sequence
    }
}

extension SegmentHeader {
    /// The maximum number of bytes that one write of a header copy takes: the copy, and the zeros
    /// before it.
    fileprivate static let copyByteLimit = 2 * Int(blockByteCount)
}

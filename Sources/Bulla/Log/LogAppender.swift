internal import BullaCipher
internal import BullaMemory

/// Appends commits to the log, for a writer that holds the lock and has caught up.
///
/// A frame that is whole in its place is a commit, announced or not. So all that can fail
/// is asked, or has happened, before the last part is written. Where that write fails, the
/// appender looks at what stands there: a whole frame is a commit all the same, and anything else
/// is taken back, and overwritten by the next.
package struct LogAppender: ~Copyable {
    /// Behind the last commit.
    package private(set) var position: LogPosition
    package let world: Identifier
    /// The key epoch in use: a segment that lies under the secret of another is not gone on with.
    package var keyEpoch: UInt64 = .max
    let log: LogFile
    let keys: LogKeys
    /// The segment that reaches to the position, where it is this world's.
    private(set) var segment: LogSegment?
    /// Whether the position is the end of the log, for all that is known here.
    private(set) var hasCaughtUp = true
    /// Whether a part of a commit may stand behind the position that is not whole.
    private var hasRemains = false
    /// Where frames are sealed, and headers.
    private var buffer: ScratchBuffer

    /// - Parameters:
    ///   - world: of those who have the file open now.
    ///   - follower: that has caught up.
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

    /// Goes to where a follower stands that has caught up.
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
        /// Behind the last one.
        case here
        /// Into a segment that begins there.
        case segment(LogPlace)
        /// Into the other half, which is needed still.
        case otherHalf
        /// Nowhere: the other half is too short for it.
        case none
    }

    /// Whether a commit has to wait for a checkpoint: both halves are full, or the free one is too
    /// short and may grow.
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

    /// What a commit takes, and what must be left: a root frame always has room, in a segment of
    /// its own too.
    private func needed(_ draft: borrowing LogDraft) -> UInt64 {
        guard !draft.isRoot else { return draft.frameByteCount }
        return draft.frameByteCount + Self.rootReserve
    }

    /// Whether a root frame goes into the half in which the log ends.
    var keepsRootFrame: Bool { log.room(at: position.place) >= Self.rootReserve }

    static let rootReserve =
        SegmentHeader.blockByteCount + SegmentHeader.frameOffset
        + UInt64(FrameFormat.byteCount(bodyByteCount: CommitField.byteCount))

    /// Appends a commit, which has the number after the last one.
    ///
    /// The caller announces it; it is durable once a flush has covered it.
    ///
    /// - Parameters:
    ///   - draft: stays as it is.
    ///   - durable: what is known to be flushed.
    ///   - oldest: the smallest sequence that a meta, or the checkpoint's record, names: no older
    ///     half is needed; `nil` where none is free.
    /// - Returns: where one stands behind it; `nil` where it has to wait for a checkpoint, and
    ///   nothing was begun.
    /// - Throws: `full`, `io`, `outOfMemory`. Then nobody was told of a commit, and the caller has
    ///   to catch up before it appends again.
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

    /// Takes back what a failed ``append(_:durable:oldest:)`` may have left: zeros over the head of
    /// its first frame, so that nothing holds there, whatever becomes of the rest.
    ///
    /// To be called under the writer's lock under which the append was made, before anybody was
    /// told of anything.
    ///
    /// - Throws: `io`; then nobody can say what stands there, and the log is to be poisoned.
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

    /// Writes the frames of a commit, and returns where one stands behind them.
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
            // Others may have seen it: what is whole stays.
            guard isLast, isWritten(frame, at: place) else { throw error }
        }
    }

    private func isWritten(_ frame: ByteView, at place: LogPlace) -> Bool {
        guard let found = try? Buffer.make(frame.byteCount) else { return false }
        let bytes = found.bytes.slice(0, frame.byteCount)
        guard (try? log.read(bytes, at: place)) != nil else { return false }
        return bytes.view == frame
    }

    /// Begins a segment of this world: its header twice, and zeros where the former would go on and
    /// between the two: of what stood there before, nothing is left in it.
    ///
    /// All of it is covered by the flush that makes the first commit durable.
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
    /// Whether it comes after another, in the same use of a half or in a later one.
    fileprivate func isBehind(_ other: LogPlace) -> Bool {
        sequence == other.sequence ? offset > other.offset : sequence > other.sequence
    }
}

extension SegmentHeader {
    /// The most bytes that one write of a header copy takes: zeros before it, and the copy.
    fileprivate static let copyByteLimit = 2 * Int(blockByteCount)
}

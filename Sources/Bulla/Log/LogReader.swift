internal import BullaCipher
internal import BullaMemory

/// What comes next in the log.
enum LogStep {
    /// The log continues in a new segment.
    ///
    /// There are two candidates if the write of one header over another was torn; then the next
    /// frame opens under the keys of only one of them.
    case segments([LogSegment])
    case frame(LogFrame, LogSegment)
    case nothing(FrameAbsence)
}

/// Reads the log, and trusts none of it.
///
/// It reads ahead within the half, in portions that grow as they are used up. Before it reports
/// that nothing follows, it drops what it has read ahead and looks again, because others may have
/// appended meanwhile.
struct LogReader: ~Copyable, Sendable {
    private let log: LogFile
    private let keys: LogKeys
    private var buffer: ScratchBuffer
    /// Where the buffer's content begins in the log.
    private var start = LogPlace(sequence: 0, offset: 0)
    private var count = 0
    private var portionByteCount = Self.firstPortionByteCount
    /// The headers that were found at the beginning of the other half, and the sequence number of
    /// that use of the half which the reader had looked for.
    private var otherBeginning: (sequence: UInt64, headers: [KeyedHeader])?
    /// What ``otherBeginning`` was when ``next(_:_:_:)`` last found nothing.
    private var otherAtEnd: (sequence: UInt64, headers: [KeyedHeader])?
    /// What the beginning of each half held when it was read last; `nil` if nothing certain is
    /// known.
    private var beginnings: [Beginning?] = [nil, nil]

    /// The headers at the beginning of a half, and the bytes of the first of the two copies there:
    /// as long as those bytes are the same, the half has not been reused.
    private struct Beginning {
        let first: [UInt8]
        let headers: [KeyedHeader]
    }

    init(_ log: LogFile, _ keys: LogKeys) throws(BullaError) {
        self.log = log
        self.keys = keys
        buffer = try Buffer.make(Self.firstPortionByteCount)
    }

    /// Enough for a few small frames, and no more, because at the log's end, reading ahead finds no
    /// frames.
    private static let firstPortionByteCount = 8 << 10
    private static let portionByteLimit = 1 << 20

    /// Drops what was read.
    mutating func forget() {
        count = 0
        otherBeginning = nil
        portionByteCount = Self.firstPortionByteCount
    }

    /// Drops what was read, and what is known of the beginnings of the halves.
    mutating func forgetBeginnings() {
        forget()
        beginnings = [nil, nil]
    }

    /// Looks for what comes next: first for headers that name the tag at the position, then for a
    /// frame.
    ///
    /// - Parameters:
    ///   - position: the position to look at; inside a commit, the one after the part read last.
    ///   - segments: the segments that the position may lie in.
    ///   - room: returns memory for the content of a frame.
    /// - Throws: `io`; `corrupted` for a valid frame with content that no correct writer seals;
    ///   what `room` throws.
    mutating func next(
        _ position: LogPosition, _ segments: [LogSegment],
        _ room: (Int) throws(BullaError) -> MutableByteView
    ) throws(BullaError) -> LogStep {
        // What was read ahead may lack what others have appended since.
        let isReadAhead = count > 0 || otherBeginning != nil
        var step = try look(position, segments, room)
        if isReadAhead, !step.isSomething {
            forget()
            step = try look(position, segments, room)
        }
        guard !step.isSomething else { return step }
        otherAtEnd = otherBeginning
        forget()
        return step
    }

    private mutating func look(
        _ position: LogPosition, _ segments: [LogSegment],
        _ room: (Int) throws(BullaError) -> MutableByteView
    ) throws(BullaError) -> LogStep {
        let next = try self.segments(after: position)
        guard next.isEmpty else { return .segments(next) }
        // The answer if there is no segment to try: no segment has begun here, or one has begun and
        // its header does not open.
        var absence = position.segment == nil ? FrameAbsence.notNext : .header
        for segment in segments {
            switch try frame(position, segment, room) {
            case .success(let frame): return .frame(frame, segment)
            case .failure(let found): absence = found
            }
        }
        return .nothing(absence)
    }

    /// The segments that follow a position: at the next block boundary of its half, or at the
    /// beginning of the other half.
    private mutating func segments(after position: LogPosition) throws(BullaError) -> [LogSegment] {
        let place = LogPlace(sequence: position.place.sequence, offset: position.nextSegment)
        // One read covers the rest of this block, and the header of a segment that begins after it.
        let end = min(place.offset + SegmentHeader.frameOffset, log.byteCount(place.sequence))
        _ = try bytes(
            at: position.place, atLeast: Int(end.subtractingOrZero(position.place.offset)))
        if try mayBegin(at: place) {
            let here = try headers(at: place).filter { isNext($0.header, place.sequence, position) }
            if !here.isEmpty { return try made(here, place.offset) }
        }
        let sequence = place.sequence + 1
        if otherBeginning?.sequence != sequence {
            otherBeginning = (sequence, try beginning(of: sequence))
        }
        let there = (otherBeginning?.headers ?? []).filter { isNext($0.header, sequence, position) }
        return try made(there, 0)
    }

    private func isNext(
        _ header: SegmentHeader, _ sequence: UInt64, _ position: LogPosition
    ) -> Bool {
        header.sequence == sequence
            && (header.previous == position.tag || PlantedBug.isPlanted(.logChainIgnored))
    }

    private func made(
        _ headers: [KeyedHeader], _ offset: UInt64
    ) throws(BullaError) -> [LogSegment] {
        var segments: [LogSegment] = []
        for header in headers { segments.append(try header.segment(at: offset)) }
        return segments
    }

    /// Whether either copy has a header's magic; random bytes almost never do.
    private mutating func mayBegin(at place: LogPlace) throws(BullaError) -> Bool {
        let needed = SegmentHeader.frameOffset
        guard log.room(at: place) >= needed else { return false }
        let bytes = try bytes(at: place, atLeast: Int(needed))
        return (0..<SegmentHeader.copyCount).contains { copy in
            let offset = Int(SegmentHeader.offset(of: copy, segment: 0))
            return Self.claims(bytes.slice(offset, SegmentField.byteCount))
        }
    }

    /// Whether a copy has a header's magic.
    private static func claims(_ copy: ByteView) -> Bool {
        copy.load(UInt64.self, at: SegmentField.magic.offset) == SegmentHeader.magic
    }

    /// The headers that a use of a half begins with, as read by the last call of ``next`` that
    /// found nothing; `nil` if that call read the beginning of another use.
    func lastBeginning(of sequence: UInt64) -> [KeyedHeader]? {
        otherAtEnd?.sequence == sequence ? otherAtEnd?.headers : nil
    }

    /// The headers that a half begins with now.
    mutating func beginning(of sequence: UInt64) throws(BullaError) -> [KeyedHeader] {
        let place = LogPlace(sequence: sequence, offset: 0)
        guard log.room(at: place) >= SegmentHeader.frameOffset else { return [] }
        if let known = beginnings[place.half], try stands(known.first, at: place) {
            return known.headers
        }
        let found = try found(at: place)
        beginnings[place.half] = found.isCertain ? found.beginning : nil
        return found.beginning.headers
    }

    private func stands(_ bytes: [UInt8], at place: LogPlace) throws(BullaError) -> Bool {
        try MutableByteView.withTemporary(byteCount: bytes.count) { found throws(BullaError) in
            try log.read(found, at: place)
            return bytes.withView { $0 == found.view }
        }
    }

    /// The headers that the copies in a place hold now.
    func headers(at place: LogPlace) throws(BullaError) -> [KeyedHeader] {
        guard log.room(at: place) >= SegmentHeader.frameOffset else { return [] }
        return try found(at: place).beginning.headers
    }

    /// The headers that the log's keys open, in either copy, and whether the first copy's bytes
    /// alone determine them.
    private func found(
        at place: LogPlace
    ) throws(BullaError) -> (beginning: Beginning, isCertain: Bool) {
        let count = SegmentField.byteCount
        return try MutableByteView.withTemporary(byteCount: 2 * count) {
            bytes throws(BullaError) in
            let (first, second) = (bytes.slice(0, count), bytes.slice(count, count))
            for (copy, part) in [first, second].enumerated() {
                let offset = SegmentHeader.offset(of: copy, segment: place.offset)
                try log.read(part, at: LogPlace(sequence: place.sequence, offset: offset))
            }
            let mayBegin = Self.claims(first.view) || Self.claims(second.view)
            let bytes = first.view.copied()
            guard mayBegin else { return (Beginning(first: bytes, headers: []), true) }
            let headers = try keys.find(
                (first.view, second.view), half: place.half, segment: place.offset)
            // Only headers that the first copy yields by itself are certain: the second copy can
            // change while the first stays the same.
            second.fill(0, count)
            let said = try keys.find(
                (first.view, second.view), half: place.half, segment: place.offset)
            let isSaid = !said.isEmpty && said.map(\.header) == headers.map(\.header)
            return (Beginning(first: bytes, headers: headers), isSaid)
        }
    }

    /// The segments that a position may lie in: those whose headers lie where the position says.
    func segments(reaching position: LogPosition) throws(BullaError) -> [LogSegment] {
        guard let segment = position.segment else { return [] }
        let place = LogPlace(sequence: position.place.sequence, offset: segment)
        let found = try headers(at: place).filter { $0.header.sequence == place.sequence }
        return try made(found, segment)
    }

    private mutating func frame(
        _ position: LogPosition, _ segment: LogSegment,
        _ room: (Int) throws(BullaError) -> MutableByteView
    ) throws(BullaError) -> Result<LogFrame, FrameAbsence> {
        let limit = log.room(at: position.place)
        var needed = min(FrameFormat.byteMinimum, Int(clamping: limit))
        while true {
            let found = try bytes(at: position.place, atLeast: needed)
            // Look at no bytes beyond `limit`. There may be some: another follower may have learned
            // meanwhile that the half has been moved, and is longer now.
            let bytes = found.slice(0, Int(min(UInt64(found.byteCount), limit)))
            let finding = try segment.reader.find(
                in: bytes, at: position.place.offset, limit: limit, after: position.tag, room)
            switch finding {
            case .whole(let frame): return .success(frame)
            case .absent(let absence): return .failure(absence)
            case .cutOff(let count):
                // If the claimed length is not greater than what was requested, others have written
                // here meanwhile, so read again.
                if count <= needed { forget() }
                needed = count
            }
        }
    }

    /// The bytes from a place on: `needed` of them, or more.
    private mutating func bytes(
        at place: LogPlace, atLeast needed: Int
    ) throws(BullaError) -> ByteView {
        let skipped = Int(truncatingIfNeeded: place.offset &- start.offset)
        if place.sequence == start.sequence, place.offset >= start.offset,
            skipped <= count, count - skipped >= needed
        {
            return buffer.bytes.view.slice(skipped, count - skipped)
        }
        try fill(place, needed)
        invariant(start == place && count >= needed, "what was asked for was read")
        return buffer.bytes.view.slice(0, count)
    }

    private mutating func fill(_ place: LogPlace, _ needed: Int) throws(BullaError) {
        let isNext = count > 0 && place.sequence == start.sequence
        if isNext { portionByteCount = min(2 * portionByteCount, Self.portionByteLimit) }
        let room = Int(clamping: log.room(at: place))
        let wanted = min(max(needed, portionByteCount), room)
        precondition(needed <= wanted, "what is asked for is of the half")
        count = 0
        if buffer.bytes.byteCount < wanted { buffer = try Buffer.make(wanted) }
        try log.read(buffer.bytes.slice(0, wanted), at: place)
        (start, count) = (place, wanted)
    }
}

extension LogStep {
    fileprivate var isSomething: Bool { if case .nothing = self { false } else { true } }
}

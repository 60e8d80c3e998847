internal import BullaCipher
internal import BullaMemory

/// The next use of a half, if the chain of frames has not reached the beginning of that use.
///
/// Its first header may have reached the disk before the frame that the header names. If the chain
/// has every commit that the headers and frames of this use call durable, the use is a remnant, not
/// damage.
struct UnreachedHalf {
    private let log: LogFile
    private let keys: LogKeys
    private let sequence: UInt64
    private let end: LogPosition

    init(_ log: LogFile, _ keys: LogKeys, after end: LogPosition) {
        self.log = log
        self.keys = keys
        self.end = end
        sequence = end.place.sequence + 1
    }

    /// The newest commit that the headers and frames of this use call durable; 0 if the use has no
    /// header.
    func durable() throws(BullaError) -> UInt64 {
        var reader = try LogReader(log, keys)
        let place = LogPlace(sequence: sequence, offset: 0)
        var durable: UInt64 = 0
        for found in try reader.headers(at: place) where found.header.sequence == sequence {
            let segment = try found.segment(at: 0)
            durable = max(durable, try walk(segment, &reader))
        }
        return durable
    }

    /// Follows the frames from a segment on, although the chain does not reach them, and returns
    /// the newest commit that these frames and the headers of their segments call durable.
    private func walk(
        _ first: LogSegment, _ reader: inout LogReader
    ) throws(BullaError) -> UInt64 {
        var room = try Buffer.make(Self.firstByteCount)
        var segments = [first]
        var durable = first.header.durableCommit
        var here = LogPosition(
            place: first.firstPlace, segment: first.offset, tag: first.header.previous, commit: 0)
        while true {
            let step = try reader.next(here, segments) { count throws(BullaError) in
                if room.bytes.byteCount < count { room = try Buffer.make(count) }
                return room.bytes.slice(0, count)
            }
            switch step {
            case .nothing: return durable
            case .segments(let found):
                guard let next = found.first else { return durable }
                segments = found
                durable = found.map(\.header.durableCommit).reduce(durable, max)
                here.place = next.firstPlace
                here.segment = next.offset
            case .frame(let frame, let segment):
                segments = [segment]
                durable = max(durable, frame.durable)
                here.place.offset += UInt64(frame.byteCount)
                here.tag = frame.tag
            }
        }
    }

    private static let firstByteCount = 64 << 10
}

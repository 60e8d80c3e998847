import Bulla
import BullaMemory
import BullaSimulation
import BullaTestSupport

/// The disk of a store with a log, and the content and place of each commit in it.
struct LiveLog {
    let kind: StoreKind
    let image: DiskImage
    let versions: [UInt64: Version]
    /// The end of each commit in the log.
    let ends: [UInt64: LogPosition]
    let newest: UInt64
    /// The newest commit that a mark calls durable.
    let marked: UInt64
    private let start: CommitRecord

    var bytes: [UInt8] { image.store }

    init(
        kind: StoreKind, image: DiskImage, versions: [UInt64: Version],
        ends: [UInt64: LogPosition], newest: UInt64
    ) throws {
        (self.kind, self.image, self.versions) = (kind, image, versions)
        (self.ends, self.newest) = (ends, newest)
        marked = Self.mark(image.store)
        start = try Self.record(image.store)
    }

    /// A log of one half: some commits after a checkpoint, a mark, and a tail that nobody flushed.
    static func usual(_ kind: StoreKind) throws -> LiveLog {
        let live = try LiveStore(kind)
        defer { live.kill() }
        try live.commit(3)
        try live.store.takeOverLog()
        try live.commit(6)
        try live.mark()
        try live.commitUnflushed(3)
        return try live.freeze()
    }

    /// Like `usual`, but in both halves: a full disk prevented the trees from taking over the first
    /// half.
    static func long(_ kind: StoreKind) throws -> LiveLog {
        let live = try LiveStore(kind)
        defer { live.kill() }
        try live.commit(3)
        try live.store.takeOverLog()
        try live.fillDisk()
        try live.commit(18, byteCount: 1500)
        try live.mark()
        try live.commitUnflushed(3)
        return try live.freeze()
    }

    // MARK: What the file contains

    /// The newest commit that a mark names.
    static func mark(_ bytes: [UInt8]) -> UInt64 {
        (0..<LogMarks.slotCount).map { slot in
            let mark = Int(LogMarks.offset(slot: slot))
            return bytes.load(UInt64.self, at: mark + LogMarkField.commit.offset)
        }.max() ?? 0
    }

    /// The record in the newest meta slot.
    static func record(_ bytes: [UInt8]) throws -> CommitRecord {
        let records = (0..<MetaPage.slotCount).map { slot in
            let start = Int(MetaPage.offset(slot: slot))
            return Array(bytes[start..<start + MetaField.byteCount]).withBytes { span in
                span.withView { CommitRecord($0, at: MetaField.record.offset) }
            }
        }
        guard let newest = records.max(by: { $0.commit < $1.commit }) else {
            throw Finding("there is no meta slot")
        }
        return newest
    }

    /// The commits that are not yet in the trees.
    var commits: Range<UInt64> { start.commit + 1..<newest + 1 }

    /// The sequence number of a half's use: the use in which the commit ends.
    func sequence(of commit: UInt64) -> UInt64 { ends[commit]?.place.sequence ?? 0 }

    /// The place in the file of the half to which the use with this number belongs.
    func half(of sequence: UInt64) -> Range<Int> {
        let run = start.log[sequence]
        return Int(run.start) * 4096..<Int(run.start + run.count) * 4096
    }

    /// In each half, all bytes of the log from its first commit to the end of its last, and one
    /// more block.
    var places: [Range<Int>] {
        let sequences = Set(commits.map(sequence)).sorted()
        return sequences.map { sequence in
            let here = commits.filter { self.sequence(of: $0) == sequence }
            let (first, last) = (here.first ?? newest, here.last ?? newest)
            let header = isFirst(first) ? headers(before: first).first : nil
            let end = min(frame(of: last).upperBound + 4096, half(of: sequence).upperBound)
            return (header ?? frame(of: first)).lowerBound..<end
        }
    }

    /// Whether a segment begins with this commit.
    private func isFirst(_ commit: UInt64) -> Bool {
        guard let end = ends[commit], let former = ends[commit - 1] else { return true }
        return end.segment != former.segment || end.place.sequence != former.place.sequence
    }

    /// The places of both copies of the header of a commit's segment.
    func headers(before commit: UInt64) -> [Range<Int>] {
        guard let end = ends[commit], let segment = end.segment else { return [] }
        let start = half(of: end.place.sequence).lowerBound
        return (0..<SegmentHeader.copyCount).map { copy in
            let offset = start + Int(SegmentHeader.offset(of: copy, segment: segment))
            return offset..<offset + SegmentField.byteCount
        }
    }

    /// The place of a commit's frame in the file.
    func frame(of commit: UInt64) -> Range<Int> {
        guard let end = ends[commit], let segment = end.segment else { return 0..<0 }
        let start = half(of: end.place.sequence).lowerBound
        let first = Int(segment + SegmentHeader.frameOffset)
        let former = isFirst(commit) ? first : Int(ends[commit - 1]?.place.offset ?? 0)
        return start + former..<start + Int(end.place.offset)
    }
}

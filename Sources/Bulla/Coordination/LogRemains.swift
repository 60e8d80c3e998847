internal import BullaMemory

/// The commits that are still in the halves of the log, although the trees have taken them over.
///
/// No recovery needs them, so damage to them is no error: what is not whole counts as gone.
struct LogRemains {
    private let parts: LogParts
    private let record: LogPosition

    /// - Parameter record: the place in the log that the checkpoint's record names.
    init(_ parts: LogParts, before record: LogPosition) {
        self.parts = parts
        self.record = record
    }

    /// The beginning of a half that begins at or before `commit`, if the frames from there lead to
    /// the checkpoint.
    ///
    /// - Parameter commit: the commit after which the caller wants all commits.
    /// - Returns: `nil` if no half begins so early, or the frames of that half do not lead to the
    ///   checkpoint.
    /// - Throws: `io`; `outOfMemory`.
    /// - Complexity: reads each byte of the log at most once.
    func beginning(notAfter commit: UInt64) throws(BullaError) -> LogPosition? {
        for distance in 0...min(1, record.place.sequence) {
            let first = try soundBeginning(of: record.place.sequence - distance)
            guard let first, first.commit <= commit else { continue }
            return try leadsToRecord(first) ? first : nil
        }
        return nil
    }

    /// As ``beginning(of:)``, but `nil` if the half is damaged.
    private func soundBeginning(of sequence: UInt64) throws(BullaError) -> LogPosition? {
        do throws(BullaError) { return try beginning(of: sequence) } catch {
            guard error.code == .corrupted else { throw error }
            return nil
        }
    }

    /// Where a use of a half begins, according to the first frame of that use; `nil` if that is not
    /// clear.
    ///
    /// - Parameter sequence: the sequence number of the use.
    private func beginning(of sequence: UInt64) throws(BullaError) -> LogPosition? {
        var reader = try LogReader(parts.log, parts.keys)
        let headers = try reader.beginning(of: sequence).filter {
            $0.header.sequence == sequence
        }
        // If a header was torn while it replaced another, there can be two. Finding out which of
        // them counts is not worth the effort.
        guard headers.count == 1, let header = headers.first else { return nil }
        let segment = try header.segment(at: 0)
        var first = LogPosition(
            place: segment.firstPlace, segment: 0, tag: segment.header.previous, commit: 0)
        let dropped = DroppedCommits()
        let step = try reader.next(first, [segment]) { count throws(BullaError) in
            try dropped.room(count, part: 0)
        }
        guard case .frame(let frame, _) = step, frame.commit > 0 else { return nil }
        first.commit = frame.commit - 1
        return first
    }

    /// Whether the log leads from `first` to the checkpoint, each frame naming the one before it.
    private func leadsToRecord(_ first: LogPosition) throws(BullaError) -> Bool {
        do throws(BullaError) {
            var follower = try LogFollower(parts.log, parts.keys, at: first, isSkipping: true)
            let dropped = DroppedCommits()
            while follower.position.tag != record.tag, follower.position.commit < record.commit {
                let next = follower.position.commit + 1
                guard try follower.follow(to: next, dropped) == .reached else { return false }
            }
            return follower.position.tag == record.tag
        } catch {
            guard error.code == .corrupted else { throw error }
            return false
        }
    }
}

package import BullaRecords
internal import Synchronization

/// A backend in front of another, which fails like a remote one.
///
/// Before each call it asks its plan which fault to make. The hooks run around each call that
/// reaches the backend behind it, and can delay the call. A patient `FaultyBackend` repeats a call
/// until the answer is not `unavailable`.
package final class FaultyBackend: RecordBackend {
    /// The verb that was called.
    package enum Call: String, CaseIterable, Sendable {
        case zones, zone, create, rekey, delete, contents, records, commit, outcome, changes, scan
        case reindex, referrers, document, replace, put, chunk, freeOrphans, forgetDeletions
        case timeline, waitForCommit
    }

    package enum Fault: CaseIterable, Sendable {
        /// No fault: the call reaches the backend, and the caller gets the answer.
        case none
        /// `unavailable`; nothing was done.
        case fails
        /// `unavailable`, although everything was done.
        case losesReply
        /// Before the call, the backend ends, and another one starts with the durable data.
        case restarts
        /// `unavailable`: a call with a batch of chunks has kept only the first half of them, and
        /// any other call was done and has lost only its reply.
        case breaksOff
        /// Half of a batch is committed under the identifier of the whole, or half of a batch of
        /// chunks is kept; calls without a batch succeed.
        case tears

        /// The faults of a backend that clients can still work with.
        package static let honest: [Fault] = [.none, .fails, .losesReply, .breaksOff, .restarts]
    }

    package typealias Hook = @Sendable (Call) -> Void

    private let room: any BackendRoom
    private let isPatient: Bool
    private let plan: @Sendable (Call) -> Fault
    private let before: Hook
    private let after: Hook

    /// - Parameters:
    ///   - room: the place of the backend behind it.
    ///   - plan: chooses the fault of a call; runs on the calling thread.
    ///   - isPatient: whether a call that is answered by `unavailable` is repeated. The plan must
    ///     not lose the reply of a call whose second answer would differ.
    ///   - before: runs before a call reaches the backend.
    ///   - after: runs after the call, whether the reply is lost or not.
    package init(
        _ room: any BackendRoom, isPatient: Bool = false, before: @escaping Hook = { _ in },
        after: @escaping Hook = { _ in }, plan: @escaping @Sendable (Call) -> Fault
    ) {
        (self.room, self.isPatient, self.plan) = (room, isPatient, plan)
        (self.before, self.after) = (before, after)
    }

    private func through<R>(
        _ call: Call, _ body: (any RecordBackend) throws(RecordError) -> R
    ) throws(RecordError) -> R {
        try through(call) { backend, _ throws(RecordError) in try body(backend) }
    }

    /// - Parameter body: makes the call, and tears what it sends if its second argument is `true`.
    private func through<R>(
        _ call: Call, _ body: (any RecordBackend, _ isTorn: Bool) throws(RecordError) -> R
    ) throws(RecordError) -> R {
        while true {
            do throws(RecordError) { return try once(call, body) } catch {
                guard isPatient, error.code == .unavailable else { throw error }
            }
        }
    }

    private func once<R>(
        _ call: Call, _ body: (any RecordBackend, _ isTorn: Bool) throws(RecordError) -> R
    ) throws(RecordError) -> R {
        let fault = plan(call)
        if fault == .fails { throw Self.unavailable(call) }
        if fault == .restarts {
            do { try room.restart() } catch {
                throw RecordError(.internalError, "restart: \(error)")
            }
        }
        before(call)
        let result = Result { () throws(RecordError) -> R in
            try body(room.backend, fault == .tears || fault == .breaksOff && call == .put)
        }
        after(call)
        if fault == .losesReply || fault == .breaksOff { throw Self.unavailable(call) }
        return try result.get()
    }

    /// How many chunks one call keeps at most.
    package static let putCount = 2

    private static func unavailable(_ call: Call) -> RecordError {
        RecordError(.unavailable, "\(call.rawValue): nobody answers", retryAfter: 0)
    }
}

extension FaultyBackend {
    package func timeline(of database: Database) throws(RecordError) -> RandomIdentifier {
        try through(.timeline) { backend throws(RecordError) in
            try backend.timeline(of: database)
        }
    }

    package func zones(in database: Database) throws(RecordError) -> [StoredZone] {
        try through(.zones) { backend throws(RecordError) in try backend.zones(in: database) }
    }

    package func zones(of place: Place) throws(RecordError) -> [StoredZone] {
        try through(.zones) { backend throws(RecordError) in try backend.zones(of: place) }
    }

    package func zone(
        named name: String, in database: Database
    ) throws(RecordError) -> StoredZone? {
        try through(.zone) { backend throws(RecordError) in
            try backend.zone(named: name, in: database)
        }
    }

    package func create(_ zone: StoredZone) throws(RecordError) -> Bool {
        try through(.create) { backend throws(RecordError) in try backend.create(zone) }
    }

    package func rekey(
        _ zone: StoredZone, from formerKeys: [UInt8], formerEpoch: UInt32,
        sealing: HeadSealing
    ) throws(RecordError) -> Bool {
        try through(.rekey) { backend throws(RecordError) in
            try backend.rekey(
                zone, from: formerKeys, formerEpoch: formerEpoch, sealing: sealing)
        }
    }

    package func contents(
        of zone: ZoneLife, _ body: (_ name: String, StoredRecord) throws(RecordError) -> Void
    ) throws(RecordError) -> StoredZone? {
        // Keep the records until it is known that the call is not repeated.
        let (head, records) = try through(.contents) { backend throws(RecordError) in
            var records: [(name: String, record: StoredRecord)] = []
            let head = try backend.contents(of: zone) { name, record throws(RecordError) in
                records.append((name, record))
            }
            return (head, records)
        }
        for (name, record) in records { try body(name, record) }
        return head
    }

    package func delete(_ zone: ZoneLife) throws(RecordError) -> Bool {
        try through(.delete) { backend throws(RecordError) in try backend.delete(zone) }
    }

    package func records(
        _ names: [String], in zone: ZoneLife
    ) throws(RecordError) -> [StoredRecord?] {
        try through(.records) { backend throws(RecordError) in
            try backend.records(names, in: zone)
        }
    }

    package func assets(
        heldBy record: String, in zone: ZoneLife
    ) throws(RecordError) -> Set<RandomIdentifier> {
        try through(.records) { backend throws(RecordError) in
            try backend.assets(heldBy: record, in: zone)
        }
    }

    package func commit(_ batch: BackendBatch) throws(RecordError) -> BatchOutcome {
        try through(.commit) { backend, isTorn throws(RecordError) in
            try backend.commit(isTorn ? batch.firstHalf : batch)
        }
    }

    package func outcome(
        of batch: RandomIdentifier, in zone: ZoneLife
    ) throws(RecordError) -> UInt64? {
        try through(.outcome) { backend throws(RecordError) in
            try backend.outcome(of: batch, in: zone)
        }
    }

    package func changes(
        in zone: ZoneLife, after version: UInt64, limit: Int
    ) throws(RecordError) -> ChangePage? {
        try through(.changes) { backend throws(RecordError) in
            try backend.changes(in: zone, after: version, limit: limit)
        }
    }

    package func scan(
        _ range: IndexRange, in zone: ZoneLife, after mark: [UInt8]?, limit: Int
    ) throws(RecordError) -> IndexPage {
        try through(.scan) { backend throws(RecordError) in
            try backend.scan(range, in: zone, after: mark, limit: limit)
        }
    }

    package func reindex(
        _ records: [ReindexedRecord], in zone: ZoneLife
    ) throws(RecordError) {
        try through(.reindex) { backend throws(RecordError) in
            try backend.reindex(records, in: zone)
        }
    }

    package func referrers(
        of name: String, _ action: RecordReference.Action, in zone: ZoneLife, limit: Int
    ) throws(RecordError) -> [String] {
        try through(.referrers) { backend throws(RecordError) in
            try backend.referrers(of: name, action, in: zone, limit: limit)
        }
    }

    package func document(
        _ name: String, of place: Place, for account: AccountIdentifier?
    ) throws(RecordError) -> StoredDocument? {
        try through(.document) { backend throws(RecordError) in
            try backend.document(name, of: place, for: account)
        }
    }

    package func replace(
        _ name: String, of place: Place, for account: AccountIdentifier?, version: UInt64,
        with bytes: [UInt8]
    ) throws(RecordError) -> Bool {
        try through(.replace) { backend throws(RecordError) in
            try backend.replace(
                name, of: place, for: account, version: version, with: bytes)
        }
    }

    package func waitForCommit(
        after commit: UInt64, timeout: Duration
    ) throws(RecordError) -> UInt64? {
        try through(.waitForCommit) { backend throws(RecordError) in
            try backend.waitForCommit(after: commit, timeout: timeout)
        }
    }

    package func put(
        from first: UInt32, of asset: RandomIdentifier, in database: Database, time: Int64,
        _ next: () -> [UInt8]?
    ) throws(RecordError) {
        // Keep the chunks for the next attempt.
        var given: [[UInt8]] = []
        try through(.put) { backend, isTorn throws(RecordError) in
            var place = 0
            try backend.put(from: first, of: asset, in: database, time: time) {
                // Take only a few chunks, like a backend for which other writers wait.
                if place == Self.putCount { return nil }
                if place == given.count {
                    guard let chunk = next() else { return nil }
                    given.append(chunk)
                }
                defer { place += 1 }
                // If torn, take the second chunk and lose it.
                return isTorn && place > 0 ? nil : given[place]
            }
        }
    }

    package func readChunk(
        _ index: UInt32, of asset: RandomIdentifier, in database: Database,
        into chunk: inout [UInt8]
    ) throws(RecordError) -> Bool {
        let kept = try through(.chunk) { backend throws(RecordError) in
            try backend.chunk(index, of: asset, in: database)
        }
        guard let kept else { return false }
        chunk = kept
        return true
    }

    package func freeOrphans(before time: Int64) throws(RecordError) -> Int {
        try through(.freeOrphans) { backend throws(RecordError) in
            try backend.freeOrphans(before: time)
        }
    }

    package func forgetDeletions(
        before time: Int64, in zone: ZoneLife
    ) throws(RecordError) {
        try through(.forgetDeletions) { backend throws(RecordError) in
            try backend.forgetDeletions(before: time, in: zone)
        }
    }
}

extension BackendBatch {
    /// The batch without the second half of its changes; a single change is kept.
    fileprivate var firstHalf: BackendBatch {
        BackendBatch(
            zone, identifier: identifier, epoch: epoch, schemaVersion: schemaVersion,
            headVersion: headVersion, time: time,
            changes: Array(changes.prefix(max(changes.count / 2, 1))), sealing: sealing)
    }
}

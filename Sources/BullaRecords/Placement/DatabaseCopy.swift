/// Copies a database from the site that it leaves to the one where it arrives.
///
/// It calls both sites with the claims of one mover; the sites refuse these claims once another
/// mover has taken the next number.
struct DatabaseCopy {
    let move: AccountMover.Move
    private(set) var source: any SiteBackend
    private(set) var sink: any SiteBackend
    /// The source's timeline when the copy began.
    let timeline: RandomIdentifier
    let mover: AccountMover
    /// When the fence, which keeps clients from changing the database, must come down; `nil` before
    /// it is up.
    private var deadline: ContinuousClock.Instant?
    /// For each asset that no record holds: how many of its chunks were copied, and the time that
    /// the source gave for it then.
    var uploads: [RandomIdentifier: (end: UInt32, time: Int64)] = [:]

    /// Fencing is worthwhile once a pass has copied no more than this many records; a chunk counts
    /// as several.
    private static let restCount = 200
    static let chunkWeight = 10
    private static let passCount = 10

    var database: Database { move.database }

    /// - Parameters:
    ///   - mine: the row of the source.
    ///   - arriving: the row of the target.
    init(
        _ mover: AccountMover, _ move: AccountMover.Move, _ mine: HomeRow, _ arriving: HomeRow
    ) throws(RecordError) {
        (self.mover, self.move) = (mover, move)
        source = try mover.directory.site(move.home).claiming(
            HomeClaim(.sender(attempt: mine.attempt), move.generation))
        sink = try mover.directory.site(move.target).claiming(
            HomeClaim(.receiver(attempt: mine.attempt), move.next))
        guard let timeline = arriving.source else {
            throw RecordError(.internalError, "move a database: it comes from nowhere")
        }
        self.timeline = timeline
    }

    /// Copies the database in passes, while clients can still change it.
    ///
    /// The passes end once a pass has found little to copy, or after `passCount` passes.
    mutating func runWhileUsed() throws(RecordError) {
        for _ in 0..<Self.passCount {
            var count = try copyZones(.copy)
            count += try copyUploads(.copy).count
            guard count > Self.restCount else { return }
        }
    }

    /// Copies the rest under the fence, without long waits for a site; if a site does not answer,
    /// tries again until the deadline.
    ///
    /// - Throws: `unavailable` after the deadline, or at once if another mover has taken over.
    mutating func finish(by deadline: ContinuousClock.Instant) throws(RecordError) {
        (source, sink) = (source.impatient(), sink.impatient())
        self.deadline = deadline
        var backoff = Backoff(.milliseconds(10), upTo: .seconds(1))
        while true {
            do throws(RecordError) { return try copyRest() } catch {
                guard error.code == .unavailable, !error.hasMoved, backoff.take(until: deadline)
                else { throw error }
            }
        }
    }

    private mutating func copyRest() throws(RecordError) {
        _ = try copyZones(.copyRest)
        guard try difference().isEmpty else {
            throw RecordError(
                .damaged, "move a database: \(move.target) does not keep what it takes")
        }
        try mover.probe(.copyRest)
        let (place, account) = (database.place, database.owner)
        for name in PlaceDocument.all(of: account) {
            if let document = try source.document(name, of: place, for: account) {
                try sink.moves.take(document, named: name, of: place, for: account)
            }
        }
        // The assets in `others` were copied for records that the source deleted before the target
        // received those records.
        for asset in try copyUploads(.copyRest).others {
            try sink.moves.free(asset, in: database)
        }
    }

    /// Checks that the fence has not been up for too long.
    func checkTime() throws(RecordError) {
        guard let deadline, deadline < .now else { return }
        throw RecordError(
            .unavailable, "move a database: the rest of it takes too long", retryAfter: 1)
    }
}

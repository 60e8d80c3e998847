/// Copies a database from the site that it leaves to the one where it arrives.
///
/// Its calls hold claims of one mover, and are refused as soon as another mover has a number.
struct DatabaseCopy {
    let move: AccountMover.Move
    private(set) var source: any SiteBackend
    private(set) var sink: any SiteBackend
    /// The source's timeline when the copy began.
    let timeline: RandomIdentifier
    let mover: AccountMover
    /// When the fence must come down; `nil` while there is none.
    private var deadline: ContinuousClock.Instant?
    /// How far the assets that no record holds were copied, and their times then.
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

    /// Copies a database that callers still change, pass by pass, until little is left.
    mutating func runWhileUsed() throws(RecordError) {
        for _ in 0..<Self.passCount {
            var count = try copyZones(.copy)
            count += try copyUploads(.copy).count
            guard count > Self.restCount else { return }
        }
    }

    /// Copies the rest of a database that can only be read now, without waiting for anything for
    /// long; tries again if a site fails for a while.
    ///
    /// - Throws: `unavailable` after the deadline.
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
        // What else is there was copied ahead of records that were then deleted at the source.
        for asset in try copyUploads(.copyRest).others {
            try sink.moves.free(asset, in: database)
        }
    }

    /// Checks that the fence does not stand for too long.
    func checkTime() throws(RecordError) {
        guard let deadline, deadline < .now else { return }
        throw RecordError(
            .unavailable, "move a database: the rest of it takes too long", retryAfter: 1)
    }
}

package import BullaRecords
internal import Synchronization

/// A site whose calls a test can make fail, and whose pages a test can forge.
package final class HookedSite: SiteBackend {
    /// What a test does to the calls of a site; it applies to calls under every claim.
    package final class Hooks: Sendable {
        /// Runs before each call, with the call's name; if it throws an error, the call throws that
        /// error.
        package typealias Fault = @Sendable (String) throws(RecordError) -> Void
        package typealias Forgery = @Sendable (ZonePage) -> ZonePage

        /// A struct, because a lock would wrap a bare closure once more with each access.
        private struct Plan: Sendable {
            var fault: Fault = { _ in }
            var forgery: Forgery = { $0 }
            var keepsPages = true
            var keepsRows = true
            var timeline: RandomIdentifier?
        }

        private let plan = Mutex(Plan())

        package init() {}

        package func fail(_ fault: @escaping Fault) { plan.withLock { $0.fault = fault } }
        package func forge(_ forgery: @escaping Forgery) { plan.withLock { $0.forgery = forgery } }

        /// Sets whether the site keeps the pages that it takes; it always says that it does.
        package func keepPages(_ keepsPages: Bool) {
            plan.withLock { $0.keepsPages = keepsPages }
        }

        /// Sets whether the site keeps and shows rows of homes; it always says that it keeps them.
        package func keepRows(_ keepsRows: Bool) {
            plan.withLock { $0.keepsRows = keepsRows }
        }

        /// Gives the site another timeline, as after a restore.
        package func fork(_ timeline: RandomIdentifier) {
            plan.withLock { $0.timeline = timeline }
        }

        /// Lets no call through.
        package func die() {
            fail { call throws(RecordError) in
                throw RecordError(.unavailable, "\(call): the site is dead", retryAfter: 1)
            }
        }

        fileprivate func check(_ call: String) throws(RecordError) {
            try plan.withLock { $0 }.fault(call)
        }

        fileprivate var keepsPages: Bool { plan.withLock { $0.keepsPages } }
        fileprivate var keepsRows: Bool { plan.withLock { $0.keepsRows } }
        fileprivate var timeline: RandomIdentifier? { plan.withLock { $0.timeline } }

        fileprivate func forged(_ page: ZonePage?) -> ZonePage? {
            page.map { plan.withLock { $0 }.forgery($0) }
        }
    }

    package let hooks: Hooks
    fileprivate let site: any SiteBackend

    package init(_ site: any SiteBackend, _ hooks: Hooks = Hooks()) {
        (self.site, self.hooks) = (site, hooks)
    }

    fileprivate func through<R>(
        _ call: String, _ body: (any SiteBackend) throws(RecordError) -> R
    ) throws(RecordError) -> R {
        try hooks.check(call)
        return try body(site)
    }

    package func claiming(_ claim: HomeClaim?) -> any SiteBackend {
        HookedSite(site.claiming(claim), hooks)
    }

    package func impatient() -> any SiteBackend {
        // A test can notice this call, but cannot make it fail.
        try? hooks.check("impatient")
        return HookedSite(site.impatient(), hooks)
    }

    package var moves: any SiteMoves { HookedMoves(hooked: self) }

    package func siteTimeline() throws(RecordError) -> RandomIdentifier {
        let timeline = try through("timeline") { site throws(RecordError) in
            try site.siteTimeline()
        }
        return hooks.timeline ?? timeline
    }

    package func timeline(of database: Database) throws(RecordError) -> RandomIdentifier {
        try through("timeline") { site throws(RecordError) in try site.timeline(of: database) }
    }

    package func zones(in database: Database) throws(RecordError) -> [StoredZone] {
        try through("zones") { site throws(RecordError) in try site.zones(in: database) }
    }

    package func zones(of place: Place) throws(RecordError) -> [StoredZone] {
        try through("zones") { site throws(RecordError) in try site.zones(of: place) }
    }

    package func zone(
        named name: String, in database: Database
    ) throws(RecordError) -> StoredZone? {
        try through("zone") { site throws(RecordError) in
            try site.zone(named: name, in: database)
        }
    }

    package func create(_ zone: StoredZone) throws(RecordError) -> Bool {
        try through("create") { site throws(RecordError) in try site.create(zone) }
    }

    package func rekey(
        _ zone: StoredZone, from formerKeys: [UInt8], formerEpoch: UInt32, sealing: HeadSealing
    ) throws(RecordError) -> Bool {
        try through("rekey") { site throws(RecordError) in
            try site.rekey(zone, from: formerKeys, formerEpoch: formerEpoch, sealing: sealing)
        }
    }

    package func contents(
        of zone: ZoneLife, _ body: (_ name: String, StoredRecord) throws(RecordError) -> Void
    ) throws(RecordError) -> StoredZone? {
        let head = try through("contents") { site throws(RecordError) in
            try site.contents(of: zone, body)
        }
        try hooks.check("contents end")
        return head
    }

    package func delete(_ zone: ZoneLife) throws(RecordError) -> Bool {
        try through("delete") { site throws(RecordError) in try site.delete(zone) }
    }

    package func records(
        _ names: [String], in zone: ZoneLife
    ) throws(RecordError) -> [StoredRecord?] {
        try through("records") { site throws(RecordError) in
            try site.records(names, in: zone)
        }
    }

    package func assets(
        heldBy record: String, in zone: ZoneLife
    ) throws(RecordError) -> Set<RandomIdentifier> {
        try through("assets") { site throws(RecordError) in
            try site.assets(heldBy: record, in: zone)
        }
    }

    package func commit(_ batch: BackendBatch) throws(RecordError) -> BatchOutcome {
        try through("commit") { site throws(RecordError) in try site.commit(batch) }
    }

    package func outcome(
        of batch: RandomIdentifier, in zone: ZoneLife
    ) throws(RecordError) -> UInt64? {
        try through("outcome") { site throws(RecordError) in
            try site.outcome(of: batch, in: zone)
        }
    }

    package func changes(
        in zone: ZoneLife, after version: UInt64, limit: Int
    ) throws(RecordError) -> ChangePage? {
        try through("changes") { site throws(RecordError) in
            try site.changes(in: zone, after: version, limit: limit)
        }
    }

    package func scan(
        _ range: IndexRange, in zone: ZoneLife, after mark: [UInt8]?, limit: Int
    ) throws(RecordError) -> IndexPage {
        try through("scan") { site throws(RecordError) in
            try site.scan(range, in: zone, after: mark, limit: limit)
        }
    }

    package func reindex(
        _ records: [ReindexedRecord], in zone: ZoneLife
    ) throws(RecordError) {
        try through("reindex") { site throws(RecordError) in
            try site.reindex(records, in: zone)
        }
    }

    package func referrers(
        of name: String, _ action: RecordReference.Action, in zone: ZoneLife, limit: Int
    ) throws(RecordError) -> [String] {
        try through("referrers") { site throws(RecordError) in
            try site.referrers(of: name, action, in: zone, limit: limit)
        }
    }

    package func document(
        _ name: String, of place: Place, for account: AccountIdentifier?
    ) throws(RecordError) -> StoredDocument? {
        try through("document") { site throws(RecordError) in
            try site.document(name, of: place, for: account)
        }
    }

    package func replace(
        _ name: String, of place: Place, for account: AccountIdentifier?, version: UInt64,
        with bytes: [UInt8]
    ) throws(RecordError) -> Bool {
        try through("replace") { site throws(RecordError) in
            try site.replace(name, of: place, for: account, version: version, with: bytes)
        }
    }

    package func waitForCommit(
        after commit: UInt64, timeout: Duration
    ) throws(RecordError) -> UInt64? {
        try through("waitForCommit") { site throws(RecordError) in
            try site.waitForCommit(after: commit, timeout: timeout)
        }
    }

    package func put(
        from first: UInt32, of asset: RandomIdentifier, in database: Database, time: Int64,
        _ next: () -> [UInt8]?
    ) throws(RecordError) {
        try through("put") { site throws(RecordError) in
            try site.put(from: first, of: asset, in: database, time: time, next)
        }
    }

    package func readChunk(
        _ index: UInt32, of asset: RandomIdentifier, in database: Database,
        into chunk: inout [UInt8]
    ) throws(RecordError) -> Bool {
        try hooks.check("readChunk")
        return try site.readChunk(index, of: asset, in: database, into: &chunk)
    }

    package func freeOrphans(before time: Int64) throws(RecordError) -> Int {
        try through("freeOrphans") { site throws(RecordError) in
            try site.freeOrphans(before: time)
        }
    }

    package func forgetDeletions(
        before time: Int64, in zone: ZoneLife
    ) throws(RecordError) {
        try through("forgetDeletions") { site throws(RecordError) in
            try site.forgetDeletions(before: time, in: zone)
        }
    }
}

private struct HookedMoves: SiteMoves {
    let hooked: HookedSite

    private func through<R>(
        _ call: String, _ body: (any SiteMoves) throws(RecordError) -> R
    ) throws(RecordError) -> R {
        try hooked.through(call) { site throws(RecordError) in try body(site.moves) }
    }

    func home(of database: Database) throws(RecordError) -> HomeRow? {
        try through("home") { moves throws(RecordError) in
            try hooked.hooks.keepsRows ? moves.home(of: database) : nil
        }
    }

    func homes(of place: Place) throws(RecordError) -> [Database: HomeRow?] {
        try through("homes") { moves throws(RecordError) in try moves.homes(of: place) }
    }

    func replaceHome(
        of database: Database, _ former: HomeRow?, with next: HomeRow
    ) throws(RecordError) -> Bool {
        try through("replaceHome") { moves throws(RecordError) in
            guard hooked.hooks.keepsRows else { return true }
            return try moves.replaceHome(of: database, former, with: next)
        }
    }

    func page(
        of zone: ZoneLife, after version: UInt64, limit: Int
    ) throws(RecordError) -> ZonePage? {
        let page = try through("page") { moves throws(RecordError) in
            try moves.page(of: zone, after: version, limit: limit)
        }
        return hooked.hooks.forged(page)
    }

    func take(_ page: ZonePage) throws(RecordError) -> Bool {
        try through("take") { moves throws(RecordError) in
            guard hooked.hooks.keepsPages else { return true }
            return try moves.take(page)
        }
    }

    func take(
        _ document: StoredDocument, named name: String, of place: Place,
        for account: AccountIdentifier?
    ) throws(RecordError) {
        try through("take document") { moves throws(RecordError) in
            try moves.take(document, named: name, of: place, for: account)
        }
    }

    func holderCount(
        of asset: RandomIdentifier, in database: Database
    ) throws(RecordError) -> UInt64? {
        try through("holderCount") { moves throws(RecordError) in
            try moves.holderCount(of: asset, in: database)
        }
    }

    func uploads(
        in database: Database
    ) throws(RecordError) -> [(asset: RandomIdentifier, time: Int64)] {
        try through("uploads") { moves throws(RecordError) in try moves.uploads(in: database) }
    }

    func free(_ asset: RandomIdentifier, in database: Database) throws(RecordError) {
        try through("free") { moves throws(RecordError) in
            try moves.free(asset, in: database)
        }
    }

    func clear(_ documents: [String], of database: Database) throws(RecordError) {
        try through("clear") { moves throws(RecordError) in
            try moves.clear(documents, of: database)
        }
    }
}

internal import BullaMemory
package import BullaRecords
internal import BullaTestSupport
import Synchronization
package import Testing

/// Sites, a backend over them, and movers that end after some steps.
package final class PlacedSites: Sendable {
    package let placed: PlacedBackend
    private let time = Mutex<Int64>(1_700_000_000_000)

    /// - Parameters:
    ///   - sites: the first is the one with the map; new databases go to the second.
    ///   - callerLimit: as that of a `SitePatience`; every call in progress counts as slow.
    package init(
        _ sites: [any SiteBackend], patience: Duration = .zero, callerLimit: Int = .max
    ) throws {
        var named: [String: any SiteBackend] = [:]
        for (index, site) in sites.enumerated() { named[Self.name(index)] = site }
        placed = PlacedBackend(
            named, first: Self.name(0), newcomers: Self.name(1),
            patience: SitePatience(
                moving: patience, callerLimit: callerLimit, slowness: .zero,
                silence: .seconds(86_400)),
            checkHead: { _, _ in }, keys: Self.keys)
    }

    package static func name(_ index: Int) -> String { "site\(index)" }

    /// The keys of every place, from a secret that tests may know.
    package static let keys: PlacementMap.KeyFinder = { place throws(RecordError) in
        var secret: SecretBytes
        do { secret = try SecretBytes(byteCount: 32) } catch {
            throw RecordError(.internalError, "no memory for a secret: \(error)")
        }
        secret.withMutableView { $0.fill(0, 32, with: 3) }
        return try ContainerKeys(place, secret)
    }

    package var names: [String] { placed.sites.keys.sorted() }

    /// Sets the time for movers, unless that is already later.
    package func note(_ now: Int64) { time.withLock { $0 = max($0, now) } }

    /// A mover that takes `stepCount` steps, and ends before the next one.
    ///
    /// - Parameters:
    ///   - patience: how long a fence may stand; by default, longer than any machine needs.
    ///   - visit: runs before each step that the mover takes.
    package func mover(
        stepCount: Int = .max, patience: Duration = .seconds(600),
        visit: @escaping @Sendable (AccountMover.Step) throws(RecordError) -> Void = { _ in }
    ) -> AccountMover {
        let left = LeftSteps(stepCount)
        let clock = { @Sendable in self.time.withLock { $0 } }
        return AccountMover(placed, clock: clock, patience: patience) { step throws(RecordError) in
            guard left.take() else { throw Self.stop }
            try visit(step)
        }
    }

    /// The error of a mover that has ended early.
    package static let stop = RecordError(.interrupted, "the mover was stopped")

    /// Moves a database by some steps; returns whether it has arrived.
    package func move(
        _ database: Database, to target: String, stepCount: Int = .max,
        visit: @escaping @Sendable (AccountMover.Step) throws(RecordError) -> Void = { _ in }
    ) throws -> Bool {
        do throws(RecordError) {
            try mover(stepCount: stepCount, visit: visit).move(database, to: target)
        } catch {
            guard error == Self.stop else { throw error }
            return false
        }
        return true
    }

    /// Checks that a database has at most one home, whichever claim a caller has.
    package func expectOneHome(
        of database: Database, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let rows = try names.map { try placed.site($0).moves.home(of: database) }
        let newest = rows.compactMap { $0?.generation }.max() ?? 0
        var (readable, changeable) = (0, 0)
        for name in names {
            for generation in 0...newest + 1 {
                let site = try placed.site(name).claiming(HomeClaim(.client, generation))
                if try Self.isAllowed({ _ = try site.zones(in: database) }) { readable += 1 }
                // There is no such document, so the call changes nothing even where it is allowed.
                let isChangeable = try Self.isAllowed {
                    _ = try site.replace(
                        "none", of: database.place, for: database.owner, version: 9, with: [])
                }
                if isChangeable, database.owner != nil { changeable += 1 }
            }
        }
        #expect(readable <= 1 && changeable <= 1, sourceLocation: sourceLocation)
        #expect(rows.count { $0?.isHome ?? false } <= 1, sourceLocation: sourceLocation)
    }

    private static func isAllowed(_ body: () throws -> Void) throws -> Bool {
        do { try body() } catch let error as RecordError {
            guard error.hasMoved else { throw error }
            return false
        }
        return true
    }

    /// Checks that a database is settled at its home, and that no other site has anything of it.
    package func expectSettled(
        _ database: Database, at home: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let entry = try placed.entry(of: database)
        #expect(entry?.home == home && entry?.state == .settled, sourceLocation: sourceLocation)
        for name in names {
            let site = try placed.site(name)
            let isHome = try site.moves.home(of: database)?.isHome ?? false
            #expect(isHome == (name == home), sourceLocation: sourceLocation)
            guard name != home else { continue }
            #expect(
                try site.holdsNothing(of: database), sourceLocation: sourceLocation)
        }
    }
}

extension SiteBackend {
    /// Whether the site has no zones and no uploads of a database whose home is elsewhere.
    package func holdsNothing(of database: Database) throws(RecordError) -> Bool {
        let row = try moves.home(of: database)
        let site = claiming(row.map { HomeClaim(.remover, $0.generation) })
        guard try site.zones(in: database).isEmpty else { return false }
        return try site.moves.uploads(in: database).isEmpty
    }
}

private final class LeftSteps: Sendable {
    private let count: Mutex<Int>
    init(_ count: Int) { self.count = Mutex(count) }

    func take() -> Bool {
        count.withLock { count in
            guard count > 0 else { return false }
            count -= 1
            return true
        }
    }
}

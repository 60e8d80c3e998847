internal import BullaMemory

/// What a site knows of the home of a database.
///
/// A site is a place where records are stored, such as a PostgreSQL database; the home of a
/// database (an account's, or the public one) is the site that has it. A row never returns to a
/// former generation.
package struct HomeRow: Hashable, Sendable {
    /// Counts the moves of the database.
    package let generation: UInt64
    package let state: State
    /// The site to which the database goes, or from which it comes; empty if it stays.
    package let other: String
    /// Counts how often the site was cleared for this arrival.
    package let attempt: UInt32
    /// The timeline that the database brought from its former home.
    package var timeline: BroughtTimeline?
    /// Whether index places have changed since a mover began to copy the database.
    package var isStale = false

    package enum State: UInt8, CaseIterable, Sendable {
        /// The database is here.
        case here = 1
        /// The database is here, and a mover copies it.
        case sending = 2
        /// The database can only be read here, and a mover copies the rest of it.
        case leaving = 3
        /// The database was here; what is left of it can be deleted.
        case gone = 4
        /// What is left of an earlier stay is being deleted, before the database comes.
        case clearing = 5
        /// The database comes; it is not complete.
        case arriving = 6
    }

    /// A timeline that came from another site, and this site's own timeline at that time.
    ///
    /// When this site is restored, its timeline changes, and the brought one no longer counts.
    package struct BroughtTimeline: Hashable, Sendable {
        package let timeline: RandomIdentifier
        package let arrival: RandomIdentifier

        package init(_ timeline: RandomIdentifier, arrival: RandomIdentifier) {
            (self.timeline, self.arrival) = (timeline, arrival)
        }
    }

    package init(
        _ generation: UInt64, _ state: State, other: String = "", attempt: UInt32 = 0
    ) {
        (self.generation, self.state) = (generation, state)
        (self.other, self.attempt) = (other, attempt)
    }

    /// The row of a database that has never moved.
    package static let first = HomeRow(1, .here)

    /// Whether the database can be read here.
    package var isHome: Bool { [.here, .sending, .leaving].contains(state) }
    /// Whether the database can be changed here.
    package var takesChanges: Bool { [.here, .sending].contains(state) }

    /// The timeline of the database at a site whose own timeline is `site`.
    package func timeline(at site: RandomIdentifier) -> RandomIdentifier {
        guard let timeline, timeline.arrival == site else { return site }
        return timeline.timeline
    }
}

/// The row as bytes: 1 byte of version, 8 of generation, 1 of state, 1 whether it is stale, 4 of
/// attempt; the other site, after its byte count; then nothing, or 16 bytes of timeline and 16 of
/// arrival.
extension HomeRow {
    private static let version: UInt8 = 1

    package var bytes: [UInt8] {
        var bytes = [Self.version]
        bytes.append(number: generation)
        bytes += [state.rawValue, isStale ? 1 : 0]
        bytes.append(number: attempt)
        bytes.append(text: other)
        if let timeline { bytes += timeline.timeline.bytes + timeline.arrival.bytes }
        return bytes
    }

    package init(_ bytes: [UInt8]) throws(RecordError) {
        guard let row = bytes.withView({ Self.row($0) }) else {
            throw RecordError(.damaged, "find the home of a database: its row is malformed")
        }
        self = row
    }

    private static func row(_ view: ByteView) -> HomeRow? {
        var cursor = ByteCursor(view)
        guard cursor.next(UInt8.self) == version, let generation = cursor.next(UInt64.self),
            let state = cursor.next(UInt8.self).flatMap({ State(rawValue: $0) }),
            let stale = cursor.next(UInt8.self), stale <= 1,
            let attempt = cursor.next(UInt32.self), let other = cursor.nextText()
        else { return nil }
        var row = HomeRow(generation, state, other: other, attempt: attempt)
        row.isStale = stale == 1
        guard !cursor.isAtEnd else { return row }
        guard let timeline = cursor.nextIdentifier(), let arrival = cursor.nextIdentifier(),
            cursor.isAtEnd
        else { return nil }
        row.timeline = BroughtTimeline(timeline, arrival: arrival)
        return row
    }
}

/// What a caller takes for granted about the home of the databases that it uses.
package struct HomeClaim: Hashable, Sendable {
    package enum Role: Hashable, Sendable {
        /// Uses databases that are here.
        case client
        /// Fills databases that arrive, as long as the row has the number of this attempt.
        case receiver(attempt: UInt32)
        /// Deletes what is left of databases.
        case remover
    }

    package let role: Role
    package let generation: UInt64

    package init(_ role: Role, _ generation: UInt64) {
        (self.role, self.generation) = (role, generation)
    }

    fileprivate func allows(_ row: HomeRow, isChange: Bool) -> Bool {
        guard row.generation == generation else { return false }
        return switch role {
        case .client: isChange ? row.takesChanges : row.isHome
        case .receiver(let attempt): row.state == .arriving && row.attempt == attempt
        case .remover: [.gone, .clearing].contains(row.state)
        }
    }
}

extension HomeRow {
    /// Checks a claim; call it in the transaction that uses the database.
    ///
    /// - Parameters:
    ///   - row: the database's row; `nil` if the site has none.
    ///   - claim: `nil` for a caller that knows of no other site: it can use everything that has
    ///     not left.
    /// - Throws: `unavailable`, with ``RecordError/hasMoved``.
    package static func check(
        _ row: HomeRow?, _ claim: HomeClaim?, isChange: Bool
    ) throws(RecordError) {
        let isAllowed =
            if let claim { row.map { claim.allows($0, isChange: isChange) } ?? false } else {
                !isChange || row?.takesChanges ?? true
            }
        guard isAllowed else {
            var error = RecordError(
                .unavailable, "use a database: it moves, or has moved, to another site",
                retryAfter: 1)
            error.hasMoved = true
            throw error
        }
    }
}

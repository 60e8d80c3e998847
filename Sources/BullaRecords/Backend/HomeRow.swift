/// What a site knows of the home of a database.
///
/// A site is a place where records are stored, such as a PostgreSQL database; the home of a
/// database (an account's, or the public one) is the site that has it.
///
/// **How a row changes.** During a move, the row of the source says "sending", "leaving", "gone"
/// and "emptied", one after the other, and the row of the target says "clearing", "arriving",
/// "arrived" and "here". Apart from repairs by ``HomeRepair``, the row of the source can also go
/// back: from "leaving" to "sending", if a mover lets clients make changes again; from "sending" or
/// "leaving" to "here", if the move is cancelled; from "gone" to "sending", under a new generation,
/// if the target was restored to a time before its copy was complete; and from "emptied" to "gone",
/// if the mover finds, before it deletes anything, that it cannot rely on the target. So a row can
/// allow a ``HomeClaim``, refuse it, and allow it again; but the row's generation never falls,
/// unless the site is restored.
///
/// **Why it is enough to check a claim after a read.** If the claim holds then, it has held during
/// the whole read. A caller makes a claim on a site only after the map has named that site as the
/// home, so the database was complete there before the read began. Clients change the database only
/// under rows that allow changes, and a read may see these changes. A mover deletes the database
/// from a site only under "emptied" or "clearing", and only after the map has said that the home is
/// elsewhere. From then on, no row of that site allows the same claim: if the database comes back
/// later, it has a greater generation. The claims of movers also have numbers, none of which is
/// ever given out twice.
///
/// **Why "gone" and "emptied" differ.** Under "gone", the former home still has everything, and can
/// become the home again. Under "emptied", anything may already be deleted. If the target was
/// restored and has lost the database, only this row says whether the former home still has
/// everything.
package struct HomeRow: Hashable, Sendable {
    /// Counts the moves of the database.
    package let generation: UInt64
    package var state: State
    /// The site to which the database goes, or from which it comes; empty if it stays.
    package var other = ""
    /// The number of the mover that may work on the database; each mover takes a number of its own,
    /// which is greater than all before it.
    package var attempt: UInt64
    /// Identifies the copy that is being made: while both ends of a move name the same copy, what
    /// is at the target is a part of what is at the source.
    package var copy: RandomIdentifier?
    /// The timeline of the source when the copy began.
    package var source: RandomIdentifier?
    /// The timeline that the database brought from its former home.
    package var timeline: BroughtTimeline?
    /// Whether index places have changed since the copy began; the voucher does not cover this
    /// field.
    package var isStale = false
    /// The HMAC of the fields above, except `isStale`, under a key of the container; empty if
    /// nobody vouches for them.
    package var voucher: [UInt8] = []

    package enum State: UInt8, CaseIterable, Sendable {
        /// The database is here.
        case here = 1
        /// The database is here, and a mover is copying it to another site.
        case sending = 2
        /// The database can only be read here, and a mover is copying the rest of it.
        case leaving = 3
        /// The database is still here, complete, but another site is to be its home.
        case gone = 4
        /// What an earlier stay left behind is being deleted, before the database arrives.
        case clearing = 5
        /// The database is arriving; it is not complete.
        case arriving = 6
        /// The database is complete here; when the source gives it up, this site can become the
        /// home.
        case arrived = 7
        /// The database was here; what it left behind is being deleted, or has been deleted.
        case emptied = 8
    }

    /// A timeline that came from another site, and this site's own timeline at that time.
    ///
    /// When this site is restored, its own timeline changes, and the one from the other site no
    /// longer counts.
    package struct BroughtTimeline: Hashable, Sendable {
        package let timeline: RandomIdentifier
        package let arrival: RandomIdentifier

        package init(_ timeline: RandomIdentifier, arrival: RandomIdentifier) {
            (self.timeline, self.arrival) = (timeline, arrival)
        }
    }

    package init(
        _ generation: UInt64, _ state: State, other: String = "", attempt: UInt64 = 0
    ) {
        (self.generation, self.state) = (generation, state)
        (self.other, self.attempt) = (other, attempt)
    }

    /// The same row with another generation, not stale, and without a voucher.
    package init(_ row: HomeRow, generation: UInt64) {
        self.init(generation, row.state, other: row.other, attempt: row.attempt)
        (copy, source, timeline) = (row.copy, row.source, row.timeline)
    }

    /// The row that a home gets when a move is taken back or given up; its new attempt number stops
    /// earlier movers from continuing.
    init(homeAfter former: HomeRow, generation: UInt64) {
        self.init(generation, .here, attempt: former.attempt + 1)
        timeline = former.timeline
    }

    /// The row of a database that has never moved.
    package static let first = HomeRow(1, .here)

    /// Whether the database can be read here.
    package var isHome: Bool { [.here, .sending, .leaving].contains(state) }
    /// Whether the database can be changed here.
    package var takesChanges: Bool { [.here, .sending].contains(state) }

    /// Whether the site was the home, and has given the database to another site.
    var isGiven: Bool { [.gone, .emptied].contains(state) }

    /// Whether the database is arriving, or is leaving and can only be read; if so,
    /// ``RecordBackend/freeOrphans(before:)`` keeps its assets.
    package var isOnItsWay: Bool { [.leaving, .clearing, .arriving, .arrived].contains(state) }

    /// Whether the database can arrive here with the generation `next`: the row has a lower
    /// generation, or belongs to this very arrival.
    func precedes(_ next: UInt64) -> Bool {
        generation < next
            || generation == next && [.clearing, .arriving, .arrived].contains(state)
    }

    /// The timeline of the database at a site whose own timeline is `site`.
    package func timeline(at site: RandomIdentifier) -> RandomIdentifier {
        guard let timeline, timeline.arrival == site else { return site }
        return timeline.timeline
    }
}

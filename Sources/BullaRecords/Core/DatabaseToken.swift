internal import BullaMemory

/// A follower's position in a database: what it has seen of each zone.
///
/// The token is opaque, and authenticated with the container's key.
///
///     bytes  field
///         1  version: 2; tokens of earlier versions have expired
///        16  timeline: history of the follower's own database since its creation or last restore
///         4  how many zones
///         n  each: incarnation 16, the newest change that was seen 8, name, owner 16, the timeline
///            of the owner's database 16, and the shares to which the follower's view is limited:
///            how many 4 (0 if it is not limited), each 16
///        32  HMAC of all the above and of the database
///
/// A database as a whole has no change counter, because zones can be on different machines, whose
/// changes have no common order.
package struct DatabaseToken: Hashable, Sendable {
    package static let version: UInt8 = 2

    package let timeline: RandomIdentifier
    package var zones: [RandomIdentifier: Seen]

    package struct Seen: Hashable, Sendable {
        /// The value of `change` for a zone that was reported as reset.
        package static let resetChange = UInt64.max

        package let name: String
        package let owner: AccountIdentifier
        package let change: UInt64
        /// The timeline of the owner's database.
        package let timeline: RandomIdentifier
        /// The shares, sorted, if the follower sees only the records in these; empty if it sees the
        /// whole zone.
        package let shares: [RandomIdentifier]

        package init(
            name: String, owner: AccountIdentifier, change: UInt64, timeline: RandomIdentifier,
            shares: [RandomIdentifier] = []
        ) {
            (self.name, self.owner, self.change) = (name, owner, change)
            (self.timeline, self.shares) = (timeline, shares)
        }
    }

    package init(timeline: RandomIdentifier, zones: [RandomIdentifier: Seen] = [:]) {
        (self.timeline, self.zones) = (timeline, zones)
    }

    /// The token in the form that callers store.
    ///
    /// - Parameter version: an earlier one only in tests.
    package func bytes(
        _ view: DatabaseView, version: UInt8 = Self.version
    ) throws(RecordError) -> [UInt8] {
        var bytes = [version]
        bytes += timeline.bytes
        bytes.append(number: UInt32(zones.count))
        for (zone, seen) in zones.sorted(by: { $0.key.text < $1.key.text }) {
            bytes += zone.bytes
            bytes.append(number: seen.change)
            bytes.append(text: seen.name)
            bytes += seen.owner.identifier.bytes + seen.timeline.bytes
            bytes.append(seen.shares)
        }
        return try Self.voucher(view).vouched(bytes)
    }

    /// Reads a token that a caller has stored.
    ///
    /// - Throws: `invalidArguments` for invalid bytes, or a token of another database;
    ///   `changeTokenExpired` for a token of an earlier version.
    package init(_ bytes: [UInt8], _ view: DatabaseView) throws(RecordError) {
        let foreign = RecordError(
            .invalidArguments, "follow a database: the token is not its own")
        guard let body = try Self.voucher(view).body(of: bytes) else { throw foreign }
        // An earlier build made this token; the follower starts over when told that the token has
        // expired.
        if let found = body.first, found < Self.version {
            throw RecordError(
                .changeTokenExpired, "follow a database: the token has the former form \(found)")
        }
        guard let token = body.withView({ Self.token($0) }) else { throw foreign }
        self = token
    }

    private static func token(_ view: ByteView) -> DatabaseToken? {
        var cursor = ByteCursor(view)
        guard cursor.next(UInt8.self) == version, let timeline = cursor.nextIdentifier(),
            let count = cursor.next(UInt32.self)
        else { return nil }
        var token = DatabaseToken(timeline: timeline)
        for _ in 0..<count {
            guard let zone = cursor.nextIdentifier(), let change = cursor.next(UInt64.self),
                let name = cursor.nextText(), let owner = cursor.nextIdentifier(),
                let timeline = cursor.nextIdentifier(), let shares = cursor.nextIdentifiers()
            else { return nil }
            token.zones[zone] = Seen(
                name: name, owner: AccountIdentifier(owner), change: change, timeline: timeline,
                shares: shares)
        }
        return cursor.isAtEnd ? token : nil
    }

    private static func voucher(_ view: DatabaseView) -> Voucher {
        var tuple = ByteTuple("bulla records database token v1", view.database.place)
        tuple.append(view.home)
        tuple.append(view.scope.name)
        return Voucher(view.core.container.tokens, tuple)
    }
}

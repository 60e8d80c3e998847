internal import BullaMemory

/// A follower's position in a zone: opaque, and authenticated with the container's key.
///
///     bytes  field
///         1  version: 1
///        16  incarnation of the zone
///        16  timeline: the database's history since its creation or last restore
///         8  the newest change that was seen
///         8  the newest deletion that was forgotten before the follower began
///         8  up to this change, the follower knows which records have left its shares
///         4  how many shares the follower's view is limited to; 0 if it is not limited
///         n  these shares, sorted: each 16
///        32  HMAC of all the above and of the database
package struct ChangeToken: Hashable, Sendable {
    private static let version: UInt8 = 1

    package let zone: RandomIdentifier
    package let timeline: RandomIdentifier
    package let change: UInt64
    /// The newest deletion that the zone had forgotten when the follower began to follow it: the
    /// follower cannot have a record that this deletion or an earlier one removed.
    package let forgotten: UInt64
    /// The newest change at the time when the follower had last read everything, or when it began:
    /// the follower knows of all records that had left its shares by then.
    ///
    /// While the follower reads page by page, ``change`` is already greater. A record comes with
    /// the page of its newest change. So if a record left a share and was then changed again,
    /// ``change`` may have passed the first of these two changes although the follower does not yet
    /// know that the record left.
    package let complete: UInt64
    /// The shares to whose records the follower's view is limited, sorted; empty if it is not
    /// limited.
    package let shares: [RandomIdentifier]

    package init(
        zone: RandomIdentifier, timeline: RandomIdentifier, change: UInt64, forgotten: UInt64,
        complete: UInt64, shares: [RandomIdentifier] = []
    ) {
        (self.zone, self.timeline, self.shares) = (zone, timeline, shares)
        (self.change, self.forgotten, self.complete) = (change, forgotten, complete)
    }

    /// The token in the form that callers store.
    package func bytes(
        _ database: Database, _ container: ContainerKeys
    ) throws(RecordError) -> [UInt8] {
        var bytes: [UInt8] = [Self.version]
        bytes += zone.bytes
        bytes += timeline.bytes
        bytes.append(number: change)
        bytes.append(number: forgotten)
        bytes.append(number: complete)
        bytes.append(shares)
        return try Self.voucher(database, container).vouched(bytes)
    }

    /// Reads a token that a caller has stored.
    ///
    /// - Throws: `invalidArguments` for invalid bytes, or a token of another database.
    package init(
        _ bytes: [UInt8], _ database: Database, _ container: ContainerKeys
    ) throws(RecordError) {
        guard let body = try Self.voucher(database, container).body(of: bytes),
            let token = body.withView({ Self.token($0) })
        else {
            throw RecordError(
                .invalidArguments, "follow changes: the token is not one of this database")
        }
        self = token
    }

    private static func token(_ view: ByteView) -> ChangeToken? {
        var cursor = ByteCursor(view)
        guard cursor.next(UInt8.self) == version, let zone = cursor.nextIdentifier(),
            let timeline = cursor.nextIdentifier(), let change = cursor.next(UInt64.self),
            let forgotten = cursor.next(UInt64.self), let complete = cursor.next(UInt64.self),
            let shares = cursor.nextIdentifiers(), cursor.isAtEnd
        else { return nil }
        return ChangeToken(
            zone: zone, timeline: timeline, change: change, forgotten: forgotten,
            complete: complete, shares: shares)
    }

    private static func voucher(
        _ database: Database, _ container: ContainerKeys
    ) -> Voucher {
        var tuple = ByteTuple("bulla records change token v1", database.place)
        tuple.append(database.owner)
        return Voucher(container.tokens, tuple)
    }
}

extension ByteCursor {
    /// The next identifiers, which follow their count; `nil` if the bytes end too early.
    mutating func nextIdentifiers() -> [RandomIdentifier]? {
        guard let count = next(UInt32.self) else { return nil }
        var identifiers: [RandomIdentifier] = []
        for _ in 0..<count {
            guard let identifier = nextIdentifier() else { return nil }
            identifiers.append(identifier)
        }
        return identifiers
    }
}

extension [UInt8] {
    mutating func append(_ identifiers: [RandomIdentifier]) {
        append(number: UInt32(identifiers.count))
        for identifier in identifiers { self += identifier.bytes }
    }
}

extension ZoneState {
    /// The shares to list in the reader's tokens; see ``ChangeToken/shares``.
    var tokenShares: [RandomIdentifier] {
        (reach ?? [:]).keys.sorted { $0.text < $1.text }
    }
}

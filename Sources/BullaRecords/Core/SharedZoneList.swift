internal import BullaMemory

/// The list of the zones in which an account takes part, kept so that nobody has to search all
/// zones for them.
///
///     bytes  field
///         1  version: 1
///         4  how many zones
///         n  each: owner 16, incarnation 16, name
///        32  HMAC of all that, of the account and of the document's version, under the container's
///            key for the directory
///
/// It is only a hint, because the heads of the zones decide which accounts take part. A zone is
/// added before its head records the acceptance, and removed after the participant has left, so
/// none is missing.
struct SharedZoneList: Hashable {
    private static let version: UInt8 = 1
    /// The maximum number of zones in a list: more than any user takes part in.
    private static let countLimit = 10_000

    private(set) var zones: [SharedZone] = []

    /// A zone that another account owns.
    struct SharedZone: Hashable {
        let owner: AccountIdentifier
        let incarnation: RandomIdentifier
        let name: String

        init(_ head: StoredZone, _ owner: AccountIdentifier) {
            (self.owner, incarnation, name) = (owner, head.incarnation, head.name)
        }

        fileprivate init?(_ cursor: inout ByteCursor) {
            guard let owner = cursor.nextIdentifier(), let incarnation = cursor.nextIdentifier(),
                let name = cursor.nextText()
            else { return nil }
            self.owner = AccountIdentifier(owner)
            (self.incarnation, self.name) = (incarnation, name)
        }
    }

    private static func body(_ zones: [SharedZone]) -> [UInt8] {
        var bytes: [UInt8] = [version]
        bytes.append(number: UInt32(zones.count))
        for zone in zones {
            bytes += zone.owner.identifier.bytes + zone.incarnation.bytes
            bytes.append(text: zone.name)
        }
        return bytes
    }

    private init() {}

    private init?(_ view: ByteView) {
        var cursor = ByteCursor(view)
        guard cursor.next(UInt8.self) == Self.version, let count = cursor.next(UInt32.self) else {
            return nil
        }
        for _ in 0..<count {
            guard let zone = SharedZone(&cursor) else { return nil }
            zones.append(zone)
        }
        guard cursor.isAtEnd else { return nil }
    }

    /// The present list of an account.
    ///
    /// - Throws: `damaged` if what is stored as the list was not made for this account.
    static func read(
        of account: AccountIdentifier, _ core: RecordCore
    ) throws(RecordError) -> (list: SharedZoneList, version: UInt64) {
        guard let stored = try core.backend.document(name(account), of: core.place, for: account)
        else {
            return (SharedZoneList(), 0)
        }
        let voucher = voucher(account, stored.version, core.container)
        guard let body = try voucher.body(of: stored.bytes),
            let list = body.withView({ SharedZoneList($0) })
        else {
            throw RecordError(.damaged, "list shared zones: the list is not the account's")
        }
        return (list, stored.version)
    }

    /// The heads of the zones in an account's list, whether or not the account takes part in them.
    static func heads(
        of account: AccountIdentifier, _ core: RecordCore
    ) throws(RecordError) -> [StoredZone] {
        var heads: [StoredZone] = []
        for zone in try read(of: account, core).list.zones {
            let database = Database(core.place, owner: zone.owner)
            let head = try core.head(named: zone.name, in: database)
            if let head, head.incarnation == zone.incarnation { heads.append(head) }
        }
        return heads
    }

    /// Applies `body` to an account's list.
    static func change(
        of account: AccountIdentifier, _ core: RecordCore,
        _ body: (inout [SharedZone]) throws(RecordError) -> Void
    ) throws(RecordError) {
        for _ in 0...core.limits.retryCount {
            let (list, version) = try read(of: account, core)
            var zones = list.zones
            try body(&zones)
            guard zones != list.zones else { return }
            guard zones.count <= countLimit, version < .max else {
                throw RecordError(
                    .limitExceeded, "accept a share: \(countLimit) zones are shared already")
            }
            let bytes = try voucher(account, version + 1, core.container).vouched(Self.body(zones))
            if try core.backend.replace(
                name(account), of: core.place, for: account, version: version, with: bytes)
            {
                return
            }
        }
        throw RecordError(
            .unavailable, "list shared zones: others keep changing the list", retryAfter: 1)
    }

    private static func name(_ account: AccountIdentifier) -> String {
        PlaceDocument.sharedZones(of: account)
    }

    private static func voucher(
        _ account: AccountIdentifier, _ version: UInt64, _ container: ContainerKeys
    ) -> Voucher {
        var tuple = ByteTuple("bulla records shared zones v1", container.place)
        tuple.append(account)
        tuple.append(version)
        return Voucher(container.directory, tuple)
    }
}

internal import BullaCipher
internal import BullaMemory

/// The keys of a zone, as its head stores them: for each epoch, the key wrapped for the zone's
/// owner and, if the zone is shared, for each participant.
///
///     bytes  field
///         1  version: 1
///         1  flags: 1 the owner's keys were reset, and nothing here opens any more; 2 the zone is
///            shared; 4 the owner's next change begins a new epoch
///         4  epoch of the owner's account
///         4  how many epochs the zone has
///         n  each: epoch 4, wrap 72
///         n  ``ZoneShare``, if the zone is shared
///         4  how many shares of records
///         n  each: ``RecordShare``
///        32  HMAC of all the above and of the zone, its name and its life, under the container's
///            key for heads
package struct ZoneKeyring: Hashable, Sendable {
    private static let version: UInt8 = 1

    package var isReset = false
    /// Whether the owner's next change begins a new epoch, for example because a participant with
    /// the zone's newest key has left; only the owner can make a new key.
    package var isEpochDue = false
    /// The share of the whole zone; `nil` if there is none.
    package var share: ZoneShare?
    /// The shares of records, by identifier; none if the zone is shared as a whole.
    package var shares: [RandomIdentifier: RecordShare] = [:]
    package var accountEpoch: UInt32
    /// The wrapped keys, by epoch.
    package var wraps: [UInt32: [UInt8]]

    /// The epoch of the key under which records are sealed; `nil` after a reset.
    ///
    /// A backend also stores the epoch in the head, to compare batches with it. The core uses the
    /// epoch of these authenticated keys, so that nobody can make it seal records under a key that
    /// was replaced.
    var newestEpoch: UInt32? { wraps.keys.max() }

    /// The share of a record, given the name of the share record; `nil` if there is none, or it has
    /// ended.
    func share(named name: String) -> (identifier: RandomIdentifier, share: RecordShare)? {
        shares.first { $0.value.name == name && !$0.value.isEnding }.map { ($0.key, $0.value) }
    }

    package init(accountEpoch: UInt32, wraps: [UInt32: [UInt8]]) {
        (self.accountEpoch, self.wraps) = (accountEpoch, wraps)
    }

    /// The keyring in the form in which the head stores it.
    package func bytes(
        _ zone: ZoneIdentifier, _ life: RandomIdentifier, _ container: ContainerKeys
    ) throws(RecordError) -> [UInt8] {
        let flags =
            (isReset ? Flag.reset : 0) | (share == nil ? 0 : Flag.shared)
            | (isEpochDue ? Flag.epochDue : 0)
        var bytes: [UInt8] = [Self.version, flags]
        bytes.append(number: accountEpoch)
        bytes.append(number: UInt32(wraps.count))
        for (epoch, wrap) in wraps.sorted(by: { $0.key < $1.key }) {
            bytes.append(number: epoch)
            bytes += wrap
        }
        share?.append(to: &bytes)
        bytes.append(number: UInt32(shares.count))
        for (identifier, share) in shares.sorted(by: { $0.key.text < $1.key.text }) {
            bytes += identifier.bytes
            share.append(to: &bytes)
        }
        return try Self.voucher(zone, life, container).vouched(bytes)
    }

    private enum Flag {
        static let reset: UInt8 = 1
        static let shared: UInt8 = 2
        static let epochDue: UInt8 = 4
    }

    /// Reads a keyring that a holder of the container's keys wrote for this zone.
    ///
    /// - Throws: `damaged` if somebody else wrote it, or it was written for another zone.
    package init(
        _ bytes: [UInt8], _ zone: ZoneIdentifier, _ life: RandomIdentifier,
        _ container: ContainerKeys
    ) throws(RecordError) {
        guard let body = try Self.voucher(zone, life, container).body(of: bytes),
            let keyring = body.withView({ Self.keyring($0) })
        else {
            throw RecordError(.damaged, "read the keys of a zone: they are not its owner's")
        }
        self = keyring
    }

    private static func keyring(_ view: ByteView) -> ZoneKeyring? {
        var cursor = ByteCursor(view)
        guard cursor.next(UInt8.self) == version, let flags = cursor.next(UInt8.self),
            flags <= 7, let accountEpoch = cursor.next(UInt32.self),
            let count = cursor.next(UInt32.self)
        else { return nil }
        var keyring = ZoneKeyring(accountEpoch: accountEpoch, wraps: [:])
        keyring.isReset = flags & Flag.reset != 0
        keyring.isEpochDue = flags & Flag.epochDue != 0
        for _ in 0..<count {
            guard let epoch = cursor.next(UInt32.self),
                let wrap = cursor.nextView(ZoneKey.wrappedByteCount)
            else { return nil }
            keyring.wraps[epoch] = wrap.copied()
        }
        if flags & Flag.shared != 0 {
            guard let share = ZoneShare(&cursor) else { return nil }
            keyring.share = share
        }
        guard let shareCount = cursor.next(UInt32.self) else { return nil }
        for _ in 0..<shareCount {
            guard let identifier = cursor.nextIdentifier(), let share = RecordShare(&cursor) else {
                return nil
            }
            keyring.shares[identifier] = share
        }
        return cursor.isAtEnd ? keyring : nil
    }

    /// The voucher for the keyring of a zone, bound to the zone's name, so that no backend can pass
    /// off one zone as another.
    private static func voucher(
        _ zone: ZoneIdentifier, _ life: RandomIdentifier, _ container: ContainerKeys
    ) -> Voucher {
        var tuple = ByteTuple("bulla records zone head v1", container.place)
        tuple.append(zone.owner)
        tuple.append(zone.name)
        tuple.append(life)
        return Voucher(container.heads, tuple)
    }
}

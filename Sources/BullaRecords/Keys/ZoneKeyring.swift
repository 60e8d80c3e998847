internal import BullaMemory

/// The keys of a zone as they stand in its head: one for each epoch, wrapped for its owner.
///
///     bytes  field
///         1  version: 1
///         1  1: the owner's keys were reset, and nothing here opens any more
///         4  epoch of the owner's account
///         4  how many epochs the zone has
///         n  each: epoch 4, wrap 72
///        32  HMAC of all the above and of the zone, its name and its life, under the container's
///            key for heads
package struct ZoneKeyring: Hashable, Sendable {
    private static let version: UInt8 = 1

    package var isReset = false
    package var accountEpoch: UInt32
    /// By the epochs of the zone's keys.
    package var wraps: [UInt32: [UInt8]]

    package init(accountEpoch: UInt32, wraps: [UInt32: [UInt8]]) {
        (self.accountEpoch, self.wraps) = (accountEpoch, wraps)
    }

    /// A keyring as a head keeps it.
    func bytes(
        _ zone: ZoneIdentifier, _ life: RandomIdentifier, _ container: ContainerKeys
    ) throws(RecordError) -> [UInt8] {
        var bytes: [UInt8] = [Self.version, isReset ? 1 : 0]
        bytes.append(number: accountEpoch)
        bytes.append(number: UInt32(wraps.count))
        for (epoch, wrap) in wraps.sorted(by: { $0.key < $1.key }) {
            bytes.append(number: epoch)
            bytes += wrap
        }
        return try Self.voucher(zone, life, container).vouched(bytes)
    }

    /// Reads a keyring, which the container's holders wrote for this zone.
    ///
    /// - Throws: `damaged` where a stranger did, or for another zone.
    init(
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
        guard cursor.next(UInt8.self) == version, let isReset = cursor.next(UInt8.self),
            isReset <= 1, let accountEpoch = cursor.next(UInt32.self),
            let count = cursor.next(UInt32.self)
        else { return nil }
        var keyring = ZoneKeyring(accountEpoch: accountEpoch, wraps: [:])
        keyring.isReset = isReset == 1
        for _ in 0..<count {
            guard let epoch = cursor.next(UInt32.self),
                let wrap = cursor.nextView(ZoneKey.wrappedByteCount)
            else { return nil }
            keyring.wraps[epoch] = wrap.copied()
        }
        return cursor.isAtEnd ? keyring : nil
    }

    /// A head stands under its zone's name: no backend gives one zone out as another.
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

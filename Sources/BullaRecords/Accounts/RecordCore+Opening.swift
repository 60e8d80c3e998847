package import Bulla
internal import BullaCipher
internal import BullaMemory

extension RecordCore {
    /// Opens the core of a place, which is a container in one of its environments.
    ///
    /// The place's secret, from which the core's keys are derived, is in the accounts' keyring. The
    /// first opening creates the secret, and stores a mark of it with the records. A later opening
    /// compares the two: if they do not match, the records and the accounts belong to different
    /// services, and no record could be opened.
    ///
    /// - Parameter key: the key that opens the service's vault in the keyring.
    /// - Throws: `damaged` if records and accounts do not belong together; `authenticationFailed`
    ///   if the key is not the service's; `unavailable`, `internalError`.
    package static func open(
        _ backend: any RecordBackend, _ keyring: AccountKeyring, _ place: Place, key: StoreKey,
        limits: RecordLimits = RecordLimits(), clock: @escaping @Sendable () -> Int64
    ) throws(RecordError) -> RecordCore {
        let mark = try backend.document(PlaceDocument.keyMark, of: place)
        let keys: ContainerKeys
        do throws(RecordError) {
            keys = try keyring.containers.keys(of: place, with: key, mayCreate: mark == nil)
        } catch {
            throw error.code == .unknownItem ? strangers(place) : error
        }
        try check(keys, mark, backend)
        return try RecordCore(
            backend, keys, limits: limits,
            roles: { account throws(RecordError) in try keyring.roles.all(of: account, in: place) },
            clock: clock)
    }

    private static func check(
        _ keys: ContainerKeys, _ mark: StoredDocument?, _ backend: any RecordBackend
    ) throws(RecordError) {
        let expected: Digest
        do throws(CipherError) {
            let message = ByteTuple("bulla records key mark v1", keys.place).bytes
            expected = try message.withView { message throws(CipherError) in
                try keys.heads.digest(of: [message])
            }
        } catch { throw .cipher("mark container \(keys.place.container)", error) }
        var mark = mark
        if mark == nil {
            let isFirst = try backend.replace(
                PlaceDocument.keyMark, of: keys.place, version: 0, with: expected.bytes)
            if isFirst { return }
            mark = try backend.document(PlaceDocument.keyMark, of: keys.place)
        }
        guard let mark, mark.bytes.count == Digest.byteCount,
            mark.bytes.withView({ Digest($0) }).equals(expected)
        else { throw strangers(keys.place) }
    }

    private static func strangers(_ place: Place) -> RecordError {
        RecordError(
            .damaged,
            "open container \(place.container): its records and accounts do not belong together")
    }
}

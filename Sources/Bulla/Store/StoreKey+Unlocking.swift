internal import BullaCipher

/// Keys that come from a store's own slots.
extension StoreKey {
    /// A key that opens the same slot of the store at `path` as this key, but needs no stretching.
    ///
    /// For a password, that is the stretched key; any other key is returned as it is.
    ///
    /// A parent process can use this to stretch a password once and pass the key to its workers.
    /// The key opens that slot until the slot is changed.
    ///
    /// - Throws: `wrongKey`, `keySlotNotFound`, `passwordParameters`; what opening the file throws.
    /// - Complexity: a password is stretched once for each slot on which it is tried.
    public func unlocked(for path: String) throws(BullaError) -> StoreKey {
        guard case .password = means else { return self }
        return StoreKey(.key(try ClosedKeyring(at: path, self).slotKey()))
    }

    /// The key of a slot of the store at `path`, unwrapped by a key service.
    ///
    /// - Parameters:
    ///   - service: the service that wrapped the key.
    ///   - path: the path of the store.
    ///   - label: the label of the slot; `nil` tries each slot whose key a service wrapped, one
    ///     after the other.
    /// - Throws: `keySlotNotFound` if there is no such slot; what the service throws for the last
    ///   slot.
    public static func unwrapped(
        by service: some KeyWrapper, for path: String, slotLabel label: String? = nil
    ) async throws -> StoreKey {
        let slots = try ClosedKeyring(at: path).claimedSlots().filter { slot in
            slot.kind == .service && (label == nil || KeySlot(slot).label == label)
        }
        let condition = label == nil ? "" : ", under that label"
        var failure: any Error = BullaError(
            .keySlotNotFound, "open \(path): no key slot is for a key service" + condition)
        for slot in slots {
            do { return try await unwrapped(slot.wrapped, by: service) } catch { failure = error }
        }
        throw failure
    }

    private static func unwrapped(
        _ wrapped: [UInt8], by service: some KeyWrapper
    ) async throws -> StoreKey {
        let secret = try await service.unwrap(wrapped)
        return try secret.withBytes { bytes in try StoreKey(bytes) }
    }
}

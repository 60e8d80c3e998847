internal import BullaCipher

/// Keys that are had from a store's own slots.
extension StoreKey {
    /// The key of the slot that this one opens in the store at `path`: of a password, what it is
    /// stretched to there.
    ///
    /// So a parent stretches a password once, and hands the key on to its workers. It opens that
    /// slot until the slot is changed.
    ///
    /// - Throws: `wrongKey`, `keySlotNotFound`, `passwordParameters`; what opening the file throws.
    /// - Complexity: of a password, one stretching for each slot that it is tried on.
    public func unlocked(for path: String) throws(BullaError) -> StoreKey {
        guard case .password = means else { return self }
        return StoreKey(.key(try ClosedKeyring(at: path, self).slotKey()))
    }

    /// The key of a slot that a service wrapped, unwrapped by it: of the store at `path`.
    ///
    /// - Parameters:
    ///   - service: what wrapped it.
    ///   - path: the store's.
    ///   - label: which slot; `nil` tries each that is of a service, in turn.
    /// - Throws: `keySlotNotFound` where there is none; what the service throws of the last one.
    public static func unwrapped(
        by service: some KeyWrapper, for path: String, slot label: String? = nil
    ) async throws -> StoreKey {
        let slots = try ClosedKeyring(at: path).claimedSlots().filter { slot in
            slot.kind == .service && (label == nil || KeySlot(slot).label == label)
        }
        let condition = label == nil ? "" : ", under that label"
        var failure: any Error = BullaError(
            .keySlotNotFound, "open \(path): no key slot is of a key service" + condition)
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

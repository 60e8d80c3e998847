internal import BullaCipher

/// A key service, which keeps a key of its own and wraps ours under it: a cloud's, or one of the
/// house's.
///
/// A slot of the keyring keeps what the service wrapped. Opening the store asks the service once;
/// the unwrapped key lies in locked memory, and goes with the ``StoreKey``.
public protocol KeyWrapper: Sendable {
    /// What the service is called in messages; never anything of a key.
    var name: String { get }

    /// Wraps 64 bytes.
    ///
    /// - Returns: at most 1024 bytes.
    func wrap(_ key: Secret) async throws -> [UInt8]

    /// Unwraps what ``wrap(_:)`` gave, also under a former key of the service's own.
    func unwrap(_ wrapped: [UInt8]) async throws -> Secret
}

extension StoreKey {
    /// A new key that a service wraps, for a new slot.
    ///
    /// - Throws: what the service throws; `invalidArgument` where it gives nothing, or more than a
    ///   slot has room for.
    public static func wrapped(by service: some KeyWrapper) async throws -> StoreKey {
        let key = try random()
        return try await key.wrapped(by: service)
    }

    /// The same key, wrapped once more: for a service whose own key was rotated.
    ///
    /// Give the slot what comes of it: ``Store/changeSlot(_:to:label:)``.
    ///
    /// - Throws: what the service throws; `invalidArgument` where it gives nothing, or more than a
    ///   slot has room for, or where this is a password.
    public func wrapped(by service: some KeyWrapper) async throws -> StoreKey {
        let userKey: UserKey
        switch means {
        case .key(let key), .service(let key, _): userKey = key
        case .password:
            throw BullaError(.invalidArgument, "wrap a key by \(service.name): it is a password")
        }
        let wrapped = try await service.wrap(try withBytes { try Secret($0) })
        guard (1...KeyringSlot.wrappedByteLimit).contains(wrapped.count) else {
            throw BullaError(
                .invalidArgument,
                "wrap a key by \(service.name): it gave \(wrapped.count) bytes, expected 1 to "
                    + "\(KeyringSlot.wrappedByteLimit)")
        }
        return StoreKey(.service(userKey, wrapped))
    }
}

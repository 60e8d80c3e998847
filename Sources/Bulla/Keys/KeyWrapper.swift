internal import BullaCipher

/// A key service, in the cloud or in-house, which wraps a program's keys under a key of its own.
///
/// A slot of the keyring keeps the wrapped key. Opening the store asks the service once; the
/// unwrapped key lies in locked memory, and is wiped with the ``StoreKey``.
public protocol KeyWrapper: Sendable {
    /// The name of the service in messages; it never contains any part of a key.
    var name: String { get }

    /// Wraps 64 bytes.
    ///
    /// - Returns: at most 1024 bytes.
    func wrap(_ key: Secret) async throws -> [UInt8]

    /// Unwraps what ``wrap(_:)`` returned, even if a former key of the service wrapped it.
    func unwrap(_ wrapped: [UInt8]) async throws -> Secret
}

extension StoreKey {
    /// Makes a new random key that a service wraps, for a new slot.
    ///
    /// - Throws: what the service throws; `invalidArgument` if it returns nothing, or more than a
    ///   slot has room for.
    public static func random(wrappedBy service: some KeyWrapper) async throws -> StoreKey {
        let key = try random()
        return try await key.wrapped(by: service)
    }

    /// Wraps this key, or wraps it once more after the service has rotated its own key.
    ///
    /// Put the result into the slot with `Store.changeSlot(_:to:label:)`.
    ///
    /// - Throws: what the service throws; `invalidArgument` if it returns nothing, or more than a
    ///   slot has room for, or if this is a password.
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

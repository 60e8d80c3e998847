package import BullaMemory
internal import CBullaCipher
internal import Synchronization

/// HMAC-SHA-256 under one key, which stays expanded from one message to the next.
///
/// Any number of threads may call at once; they wait for each other.
///
/// The expanded key is kept in a context of libcrypto, as in a ``PageCipher``, and is wiped by
/// ``end()`` or when this object is deallocated.
///
/// - Source: FIPS 198-1.
package final class HMAC: Sendable {
    private let context: Mutex<HMACContext>

    /// - Parameters:
    ///   - key: at least one byte.
    /// - Throws: ``CipherError/Code/badArgument`` if the key is empty.
    package convenience init(key: ByteView) throws(CipherError) {
        self.init(try HMACContext(key))
    }

    package convenience init(key: borrowing SecretBytes) throws(CipherError) {
        // The child of a fork does not have the key, and must not authenticate with zeros.
        try key.checkIntact()
        self.init(try key.withView { key throws(CipherError) in try HMACContext(key) })
    }

    private init(_ context: consuming HMACContext) {
        self.context = Mutex(context)
    }

    /// The digest of all `parts`, joined in their order.
    ///
    /// The caller ensures that no two lists of parts give the same bytes.
    package func digest(of parts: [ByteView]) throws(CipherError) -> Digest {
        let runs = unsafe ByteView.runs(parts)
        return try Digest { view throws(CipherError) in
            try context.withLock { context throws(CipherError) in
                guard let mac = unsafe context.mac else { throw CipherError(.memory) }
                // SAFETY: every part is valid for its count, and `view` has room for a digest.
                try CipherError.check(
                    unsafe bulla_mac_compute(mac, runs, runs.count, view.base))
            }
        }
    }

    /// Wipes the key, even if this object is still in use; later requests for a digest are refused.
    package func end() { context.withLock { $0.end() } }
}

/// The context of libcrypto that holds an HMAC's key.
///
/// Sendable, because it has one owner, which uses it under a lock.
@safe private struct HMACContext: ~Copyable, @unchecked Sendable {
    /// `nil` after ``end()``.
    private(set) var mac: OpaquePointer?

    init(_ key: ByteView) throws(CipherError) {
        var made: OpaquePointer?
        // SAFETY: the key is valid for its count.
        try CipherError.check(unsafe bulla_mac_create(key.base, key.byteCount, &made))
        guard let made = unsafe made else { throw CipherError(.library) }
        unsafe mac = unsafe made
    }

    mutating func end() {
        // SAFETY: `init` made the context; nobody else has it, and it is forgotten here.
        unsafe bulla_mac_destroy(mac)
        unsafe mac = nil
    }

    deinit {
        // SAFETY: `init` made the context, and nobody else has it.
        unsafe bulla_mac_destroy(mac)
    }
}

internal import BullaMemory
internal import CBullaShared
internal import Glibc

/// One of the kernel's keyrings; this thread can reach it as long as the value lives.
///
/// A thread can read a key by its number only if the key is reachable from the thread's own
/// keyrings. The session keyring is one of these. A value for any other keyring links that keyring
/// into the thread's keyring for as long as the value lives.
struct KernelKeyring: ~Copyable {
    private let number: Int32
    private let isLinked: Bool
    private let name: String

    /// - Parameter name: the key, for messages.
    init(_ place: KeyringKeySource.Place, name: String) throws(BullaError) {
        number = try Self.reach(place, name)
        isLinked = place != .session
        self.name = name
    }

    private static func reach(
        _ place: KeyringKeySource.Place, _ name: String
    ) throws(BullaError) -> Int32 {
        let thread = Int32(BULLA_KEYRING_THREAD)
        switch place.kind {
        case .session: return Int32(BULLA_KEYRING_SESSION)
        case .user:
            let user = Int32(BULLA_KEYRING_USER)
            _ = try check(bulla_key_link(user, thread), "reach", name)
            return user
        case .persistent: return try check(bulla_keyring_persistent(thread), "reach", name)
        }
    }

    deinit {
        if isLinked { _ = bulla_key_unlink(number, Int32(BULLA_KEYRING_THREAD)) }
    }

    /// Finds the key with a description, and returns its number.
    func find(_ description: String) throws(BullaError) -> Int32 {
        try Self.check(unsafe bulla_key_find(number, description), "find", name)
    }

    func read(_ key: Int32) throws(BullaError) -> Secret {
        var bytes: SecretBytes
        do { bytes = try SecretBytes(byteCount: Secret.byteLimit) } catch {
            throw BullaError.memory("read \(name)", error)
        }
        // SAFETY: the view has room for as many bytes as the call is told.
        let found = bytes.withMutableView { unsafe bulla_key_read(key, $0.base, $0.byteCount) }
        let count = Int(try Self.check(found, "read", name))
        guard count <= Secret.byteLimit else {
            throw BullaError(
                .invalidArgument,
                "read \(name): it has \(count) bytes, a secret has at most \(Secret.byteLimit)")
        }
        return try bytes.withView { view throws(BullaError) in
            try view.slice(0, count).withSpan { span throws(BullaError) in
                try Secret(span, name: name)
            }
        }
    }

    /// Stores a key in the keyring, in place of one with the same description.
    ///
    /// The key is made in the thread's own keyring, which ends with the thread. The key gets its
    /// time limit there, and only then is linked into this keyring. So a process that is killed
    /// meanwhile leaves no key without a limit.
    ///
    /// - Parameter seconds: how long until the kernel forgets the key; 0 for never.
    func put(_ secret: Secret, _ description: String, seconds: UInt32) throws(BullaError) {
        let thread = Int32(BULLA_KEYRING_THREAD)
        // SAFETY: the view is valid for its count; the kernel copies it.
        let made = secret.withView {
            unsafe bulla_key_put(thread, description, $0.base, $0.byteCount)
        }
        let key = try Self.check(made, "store", name)
        defer { _ = bulla_key_unlink(key, thread) }
        _ = try Self.check(bulla_key_set_timeout(key, seconds), "limit the time of", name)
        _ = try Self.check(bulla_key_link(key, number), "store", name)
    }

    func unlink(_ key: Int32) throws(BullaError) {
        _ = try Self.check(bulla_key_unlink(key, number), "remove", name)
    }

    /// Returns the result of a call, or throws the error that its errno stands for.
    private static func check(
        _ result: Int64, _ verb: String, _ name: String
    ) throws(BullaError) -> Int32 {
        guard result < 0 else { return Int32(result) }
        let number = Int32(-result)
        let attempt = "\(verb) \(name)"
        func refused(_ code: BullaError.Code, _ what: String) -> BullaError {
            BullaError(code, "\(attempt): \(what)", errno: number)
        }
        switch number {
        case ENOKEY, ENOENT:
            throw refused(.keySourceMissing, "there is no such key")
        case EKEYEXPIRED: throw refused(.keySourceExpired, "it has expired")
        case EKEYREVOKED: throw refused(.keySourceRevoked, "somebody has revoked it")
        case EPERM, EACCES:
            throw refused(
                .keySourceDenied,
                "the kernel forbids it, as in a container that forbids keyctl(2), or the key "
                    + "belongs to another user")
        case ENOSYS, EOPNOTSUPP:
            throw refused(.keySourceDenied, "this kernel or container has no such keyring")
        case EKEYREJECTED: throw refused(.keySourceDenied, "the service that makes it refused")
        case EDQUOT:
            throw refused(
                .keySourceFull,
                "this user's quota of keys is used up: an ordinary user has 200 keys and 20000 "
                    + "bytes (/proc/key-users, /proc/sys/kernel/keys)")
        default: throw .system(attempt, number)
        }
    }
}

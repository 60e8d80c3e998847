/// A secret in a keyring of the kernel, as a key of type `user`.
///
/// The secret lies in the kernel's memory, never on a disk, and ends with the keyring. So one
/// process can unlock a store once, for example with a password, and leave the key for others:
///
/// ```swift
/// let handover = KeyringKeySource("ledger", in: .session)
/// try handover.store(secret, expiringAfter: .seconds(3600))    // the parent
/// let key = try handover.load().withBytes { try StoreKey($0) }    // each child
/// ```
///
/// Keys and keyrings count against a quota: an ordinary user can have 200 keys of 20 000 bytes in
/// total (`/proc/sys/kernel/keys`). Containers often forbid the system calls; then each method
/// throws `keySourceDenied`. Bulla never starts a program to make a missing key.
///
/// - Source: keyrings(7), user-keyring(7), persistent-keyring(7), keyctl(2).
public struct KeyringKeySource: KeySource {
    /// One of the keyrings that the kernel has for a process.
    public struct Place: Hashable, Sendable, CustomStringConvertible {
        enum Kind: String {
            case session, user, persistent
        }

        let kind: Kind

        /// The session's keyring, which children inherit: for a parent and its workers.
        ///
        /// A login session and a systemd service each have one. In a process without one, the first
        /// ``KeyringKeySource/store(_:expiringAfter:)`` makes it, and the kernel gives it to the
        /// calling thread: threads and children that *this thread* starts from then on have it,
        /// others do not.
        public static let session = Place(kind: .session)
        /// The user's keyring, which all processes of the user share; it ends when the last of
        /// these processes ends.
        public static let user = Place(kind: .user)
        /// The user's persistent keyring, which outlives the last process.
        ///
        /// It suits services that a timer starts. The kernel drops it at a reboot, or after three
        /// days without use (`/proc/sys/kernel/keys/persistent_keyring_expiry`).
        public static let persistent = Place(kind: .persistent)

        /// The keyring's name.
        public var description: String { kind.rawValue }
    }

    private let key: String
    private let place: Place

    /// Makes a source that reads a key in a keyring.
    ///
    /// - Parameters:
    ///   - description: the key's name in the keyring, 1 to 4095 bytes. Anyone who can read
    ///     `/proc/keys` sees it.
    ///   - place: which keyring.
    public init(_ description: String, in place: Place) {
        key = description
        self.place = place
    }

    /// The source's name in messages: the key's description, and its keyring.
    public var name: String { "key \(key) in the \(place) keyring" }

    /// Reads the key, exactly as it was stored.
    ///
    /// A search of the session's keyring includes the keyrings that are linked into it.
    ///
    /// - Throws: `keySourceMissing`; `keySourceExpired` or `keySourceRevoked` for a key that has
    ///   expired or was revoked, for as long as the kernel remembers it (five minutes), and
    ///   `keySourceMissing` after that; `keySourceDenied` if the kernel or a container forbids the
    ///   call; `keySourceFull` if the quota leaves no room to reach the keyring; `invalidArgument`
    ///   for a key that is too long, or a description that no key can have.
    public func load() throws(BullaError) -> Secret {
        try checkDescription()
        let keyring = try KernelKeyring(place, name: name)
        return try keyring.read(try keyring.find(key))
    }

    /// Stores a secret in the keyring, in place of one with the same description.
    ///
    /// - Parameters:
    ///   - secret: the bytes to store, which the kernel copies.
    ///   - lifetime: how long until the kernel forgets it, in whole seconds, rounded up; the kernel
    ///     can forget it up to a second early. `nil` keeps it until the keyring ends.
    /// - Throws: `keySourceFull` if the quota leaves no room; `keySourceDenied`; `invalidArgument`
    ///   for a time that is not positive or more than 2^32 - 1 seconds.
    public func store(_ secret: Secret, expiringAfter lifetime: Duration?) throws(BullaError) {
        try checkDescription()
        let seconds = try Self.seconds(lifetime, name: name)
        let keyring = try KernelKeyring(place, name: name)
        try keyring.put(secret, key, seconds: seconds)
    }

    /// Removes the key from the keyring; the kernel wipes it when no other keyring holds it.
    ///
    /// - Throws: `keySourceMissing` if the keyring does not hold the key, even if one that is
    ///   linked into it does; otherwise as ``load()``.
    public func remove() throws(BullaError) {
        try checkDescription()
        let keyring = try KernelKeyring(place, name: name)
        try keyring.unlink(try keyring.find(key))
    }

    private func checkDescription() throws(BullaError) {
        guard (1..<4096).contains(key.utf8.count), !key.utf8.contains(0) else {
            throw .badName(
                "the \(place) keyring", "a description has 1 to 4095 bytes, and none is zero")
        }
    }

    /// The lifetime in whole seconds; 0 for no limit.
    private static func seconds(_ lifetime: Duration?, name: String) throws(BullaError) -> UInt32 {
        guard let lifetime else { return 0 }
        let (whole, rest) = lifetime.components
        let seconds = rest > 0 ? whole.addingReportingOverflow(1).partialValue : whole
        guard lifetime > .zero, let seconds = UInt32(exactly: seconds) else {
            throw BullaError(
                .invalidArgument,
                "store \(name): its lifetime is \(lifetime), expected more than zero and less than "
                    + "2^32 seconds")
        }
        return seconds
    }
}

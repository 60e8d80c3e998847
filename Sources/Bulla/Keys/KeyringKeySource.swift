/// A secret in a keyring of the kernel, as a key of type `user`.
///
/// It lies in the kernel's memory, never on a disk, and goes with the keyring. So one process can
/// unlock a store once, for instance with a password, and leave the key for others:
///
/// ```swift
/// let handover = KeyringKeySource("ledger", in: .session)
/// try handover.store(secret, timeout: .seconds(3600))    // the parent
/// let key = try handover.load().withBytes { try StoreKey($0) }    // each child
/// ```
///
/// Keys and keyrings count against a quota: an ordinary user has 200 keys of 20 000 bytes in all
/// (`/proc/sys/kernel/keys`). Containers often forbid the system calls, which is `keySourceDenied`.
/// No program is ever started to make a key that is missing.
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
        /// A login and a service of systemd have one. A process without one gets it with the first
        /// ``KeyringKeySource/store(_:timeout:)``, and the kernel gives it to the calling thread:
        /// the threads and children that *this thread* starts from then on have it, others do not.
        public static let session = Place(kind: .session)
        /// The user's keyring, which every process of the user has, as long as there is one.
        public static let user = Place(kind: .user)
        /// The user's persistent keyring, which outlives the last process.
        ///
        /// For services that are started by a clock. The kernel drops it after three days in which
        /// nobody has used it (`/proc/sys/kernel/keys/persistent_keyring_expiry`), or at a reboot.
        public static let persistent = Place(kind: .persistent)

        /// The keyring's name.
        public var description: String { kind.rawValue }
    }

    private let key: String
    private let place: Place

    /// A key of a keyring.
    ///
    /// - Parameters:
    ///   - description: what the key is called there, 1 to 4095 bytes. Everybody who may look at
    ///     `/proc/keys` sees it.
    ///   - place: which keyring.
    public init(_ description: String, in place: Place) {
        key = description
        self.place = place
    }

    /// The key by its description, with its keyring.
    public var name: String { "key \(key) in the \(place) keyring" }

    /// Reads the key, exactly as it was stored.
    ///
    /// The session's keyring is searched with those that are linked in it.
    ///
    /// - Throws: `keySourceMissing`; `keySourceExpired` where its time is over, as long as the
    ///   kernel remembers it (five minutes), and `keySourceMissing` after that;
    ///   `keySourceRevoked`, likewise; `keySourceDenied` where the kernel or a container forbids
    ///   it; `keySourceFull` where the quota leaves no room to reach the keyring;
    ///   `invalidArgument` for a key that is too long, or a description that none has.
    public func load() throws(BullaError) -> Secret {
        try checkDescription()
        let keyring = try KernelKeyring(place, name: name)
        return try keyring.read(try keyring.find(key))
    }

    /// Leaves a secret in the keyring, in the place of one with the same description.
    ///
    /// - Parameters:
    ///   - secret: the bytes to leave, which the kernel copies.
    ///   - timeout: after what time the kernel forgets it, in whole seconds, rounded up; the
    ///     kernel can be up to a second early. `nil`: when its keyring goes.
    /// - Throws: `keySourceFull` where the quota leaves no room; `keySourceDenied`;
    ///   `invalidArgument` for a time that is not positive or more than 2^32 - 1 seconds.
    public func store(_ secret: Secret, timeout: Duration?) throws(BullaError) {
        try checkDescription()
        let seconds = try Self.seconds(timeout, name: name)
        let keyring = try KernelKeyring(place, name: name)
        try keyring.put(secret, key, seconds: seconds)
    }

    /// Takes the key out of the keyring; the kernel wipes it when no other keyring has it.
    ///
    /// - Throws: `keySourceMissing` where the keyring itself does not have it; otherwise as
    ///   ``load()``.
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

    /// Whole seconds, 0 for no limit.
    private static func seconds(_ timeout: Duration?, name: String) throws(BullaError) -> UInt32 {
        guard let timeout else { return 0 }
        let (whole, rest) = timeout.components
        let seconds = rest > 0 ? whole.addingReportingOverflow(1).partialValue : whole
        guard timeout > .zero, let seconds = UInt32(exactly: seconds) else {
            throw BullaError(
                .invalidArgument,
                "leave \(name): its time is \(timeout), expected more than zero and less than 2^32 "
                    + "seconds")
        }
        return seconds
    }
}

/// What went wrong: a code for programs to switch on, and a message for people to read.
///
/// The message says what was attempted, on what, what was expected and what was found. It names
/// files by their paths. It never holds key material, keys, values, or names of trees, because
/// errors end up in logs.
///
/// Calls that throw only this type say so in their signature. In the plain `catch` of a `do` that
/// makes only such calls, `error` has this type, and needs no `as BullaError`:
///
/// ```swift
/// do {
///     let report = try Store.check(at: path, key: key)
///     print(report.defects.map { $0.message })
/// } catch {
///     guard error.code == .busy else { throw error }
/// }
/// ```
///
/// Make the last clause a plain `catch`. With optimization, the compiler of Swift 6.3.1 crashes
/// ("Found outside of lifetime use") on a `do` statement that meets all three of these conditions:
///
/// - It calls a function whose typed error is this type, or another type that is not trivial (that
///   cannot be copied bit by bit). It also calls a function that rethrows (`map`, `contains`, the
///   right side of `&&`), with a closure that throws nothing.
/// - Its clauses are `catch let error as BullaError`, `catch is` or `catch where`, and none is
///   plain.
/// - The code around the `do` can throw errors of other types, too.
public struct BullaError: Error, Sendable, CustomStringConvertible {
    /// The kinds of failure that a caller may want to tell apart.
    ///
    /// A later version may add codes, so a `switch` over a code needs a `default`:
    ///
    /// ```swift
    /// switch error.code {
    /// case .busy: retry()
    /// case .full, .io: giveUp(error)
    /// default: throw error
    /// }
    /// ```
    public struct Code: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible {
        /// The code's name; ``BullaError/description`` begins with it.
        public let rawValue: String

        /// Makes the code with that name, whether or not this version knows it.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The code's name.
        public var description: String { rawValue }

        /// The store is encrypted under another key; either half of the given key may be wrong.
        public static let wrongKey = Code(rawValue: "wrongKey")
        /// A key was given, but the store is plain: not encrypted.
        public static let notEncrypted = Code(rawValue: "notEncrypted")
        /// No key was given, but the store is encrypted.
        public static let encrypted = Code(rawValue: "encrypted")
        /// The key is not 64 bytes long.
        public static let invalidKeyLength = Code(rawValue: "invalidKeyLength")
        /// The keyring has no slot of that number, that label or that kind.
        public static let keySlotNotFound = Code(rawValue: "keySlotNotFound")
        /// The keyring can have no more slots, or no more of the new slot's kind.
        public static let keySlotsFull = Code(rawValue: "keySlotsFull")
        /// The key slot cannot be removed: nothing else opens the store.
        public static let lastKeySlot = Code(rawValue: "lastKeySlot")
        /// There is no vault of that name.
        public static let vaultNotFound = Code(rawValue: "vaultNotFound")
        /// There is a vault of that name already.
        public static let vaultExists = Code(rawValue: "vaultExists")
        /// The vault was locked: its keys are gone.
        public static let vaultLocked = Code(rawValue: "vaultLocked")
        /// The sealed data belongs to another vault.
        public static let otherVault = Code(rawValue: "otherVault")
        /// The handle belongs to another store.
        public static let otherStore = Code(rawValue: "otherStore")
        /// A sealed entity or field was changed, or moved to the place of another.
        public static let sealDamaged = Code(rawValue: "sealDamaged")
        /// An entity cannot be encoded, or an opened entity is of another type than expected.
        public static let entityMismatch = Code(rawValue: "entityMismatch")
        /// The parameters stretch a password too little, or cost more memory or time than allowed.
        public static let passwordParameters = Code(rawValue: "passwordParameters")
        /// The file is not a Bulla store.
        public static let notAStore = Code(rawValue: "notAStore")
        /// The file was written in a format that this version does not know.
        public static let unsupportedFormat = Code(rawValue: "unsupportedFormat")
        /// The store's page size or cipher suite is not the one that was asked for.
        public static let optionMismatch = Code(rawValue: "optionMismatch")
        /// Bytes of the file are not what was written there.
        public static let corrupted = Code(rawValue: "corrupted")
        /// The store is older than the anchor that was given.
        public static let rolledBack = Code(rawValue: "rolledBack")
        /// A lock could not be taken in time, or the present use of the store excludes the call.
        public static let busy = Code(rawValue: "busy")
        /// The coordination file has no room for another snapshot.
        public static let readersFull = Code(rawValue: "readersFull")
        /// The disk has no room, or a limit is reached: on a file's size, on a store's pages, or on
        /// a vault's epochs.
        public static let full = Code(rawValue: "full")
        /// The system refused memory, address space or locked memory, or a cache or a vault has
        /// already lent out all that it may.
        public static let outOfMemory = Code(rawValue: "outOfMemory")
        /// The system refused a read, a write, or another call.
        public static let io = Code(rawValue: "io")
        /// A flush failed: what it covered is in doubt, and the store accepts no further commit.
        public static let poisoned = Code(rawValue: "poisoned")
        /// The store was opened before a fork, and this process is the child.
        public static let usedAfterFork = Code(rawValue: "usedAfterFork")
        /// The file system does not support what a store needs.
        public static let unsupportedFileSystem = Code(rawValue: "unsupportedFileSystem")
        /// A key is longer than the page size allows, or empty.
        public static let keyTooLarge = Code(rawValue: "keyTooLarge")
        /// A value is longer than the operation allows.
        public static let valueTooLarge = Code(rawValue: "valueTooLarge")
        /// There is no tree of that name.
        public static let treeNotFound = Code(rawValue: "treeNotFound")
        /// There is a tree of that name already.
        public static let treeExists = Code(rawValue: "treeExists")
        /// The work was stopped: its task was cancelled, or the progress closure threw this error.
        public static let cancelled = Code(rawValue: "cancelled")
        /// A change was attempted on a store that was opened for reading.
        public static let readOnly = Code(rawValue: "readOnly")
        /// The store was closed.
        public static let closed = Code(rawValue: "closed")
        /// The file was deleted, or another file has taken its place.
        public static let replaced = Code(rawValue: "replaced")
        /// An argument is outside what the call accepts.
        public static let invalidArgument = Code(rawValue: "invalidArgument")
        /// A writer ended the snapshot, in order to use its pages again.
        public static let snapshotExpired = Code(rawValue: "snapshotExpired")
        /// The commit is published and stands, but it was not flushed in time: ``commit`` is its
        /// number.
        ///
        /// Later commits build on it, so do not make it again. Until its flush, only snapshots with
        /// ``SnapshotVisibility/published`` show it, and a loss of power can undo it; the death of
        /// this process cannot. `Store.waitUntilDurable(_:)` goes on waiting for its flush.
        public static let notYetDurable = Code(rawValue: "notYetDurable")
        /// A key source has no secret: there is no such file, credential, variable or key.
        public static let keySourceMissing = Code(rawValue: "keySourceMissing")
        /// A key source has an empty secret.
        public static let keySourceEmpty = Code(rawValue: "keySourceEmpty")
        /// The system does not let this process have the secret, for example because a container
        /// forbids the kernel's keyrings.
        public static let keySourceDenied = Code(rawValue: "keySourceDenied")
        /// The secret has expired.
        public static let keySourceExpired = Code(rawValue: "keySourceExpired")
        /// The secret was revoked.
        public static let keySourceRevoked = Code(rawValue: "keySourceRevoked")
        /// The user's quota for the kernel's keyrings leaves no room.
        public static let keySourceFull = Code(rawValue: "keySourceFull")
        /// A secret's file gives rights to users other than its owner.
        public static let keyFileMode = Code(rawValue: "keyFileMode")
        /// A secret's file belongs to another user.
        public static let keyFileOwner = Code(rawValue: "keyFileOwner")
        /// A symbolic link stands in the place of a secret's file.
        public static let keyFileLink = Code(rawValue: "keyFileLink")
        /// A secret was asked for twice, and the two answers differ.
        public static let keyPromptMismatch = Code(rawValue: "keyPromptMismatch")
        /// There is no terminal at which to ask for a secret.
        public static let keyPromptUnavailable = Code(rawValue: "keyPromptUnavailable")

        /// Every code that this version throws.
        package static let all: [Code] = [
            .wrongKey, .notEncrypted, .encrypted, .invalidKeyLength, .keySlotNotFound,
            .keySlotsFull, .lastKeySlot, .vaultNotFound, .vaultExists, .vaultLocked, .otherVault,
            .otherStore, .sealDamaged, .entityMismatch, .passwordParameters, .notAStore,
            .unsupportedFormat, .optionMismatch, .corrupted, .rolledBack, .busy, .readersFull,
            .full, .outOfMemory, .io, .poisoned, .usedAfterFork, .unsupportedFileSystem,
            .keyTooLarge, .valueTooLarge, .treeNotFound, .treeExists, .cancelled, .readOnly,
            .closed, .replaced, .invalidArgument, .snapshotExpired, .notYetDurable,
            .keySourceMissing, .keySourceEmpty, .keySourceDenied, .keySourceExpired,
            .keySourceRevoked, .keySourceFull, .keyFileMode, .keyFileOwner, .keyFileLink,
            .keyPromptMismatch, .keyPromptUnavailable,
        ]
    }

    /// What kind of failure it is.
    public let code: Code
    /// What was attempted, on what, and what was found.
    public let message: String
    /// The system's error number, if the system gave one.
    public let errno: Int32?
    /// The page at fault, if there is one.
    public let page: UInt64?
    /// The commit that the error is about, if there is one.
    public let commit: UInt64?

    /// The kind of defect, if ``PagePointer/defect(_:_:in:)`` made this error.
    let defect: StoreDefect.Kind?

    /// Makes an error for a program's own code to throw, from a ``KeySource``, a ``KeyWrapper``, or
    /// a closure that receives a ``TaskProgress``.
    ///
    /// - Parameters:
    ///   - code: what kind of failure it is. ``Code/keySourceMissing`` makes a ``FirstKeySource``
    ///     go on to its next source.
    ///   - message: what was attempted, on what, and what was found. It must hold no key material,
    ///     because errors end up in logs.
    public init(_ code: Code, _ message: String) {
        self.init(code, message, page: nil, commit: nil, defect: nil)
    }

    package init(_ code: Code, _ message: String, errno: Int32?) {
        self.init(code, message, errno: errno, page: nil, commit: nil, defect: nil)
    }

    package init(_ code: Code, _ message: String, page: UInt64? = nil, commit: UInt64?) {
        self.init(code, message, page: page, commit: commit, defect: nil)
    }

    init(
        _ code: Code, _ message: String, errno: Int32? = nil, page: UInt64?, commit: UInt64?,
        defect: StoreDefect.Kind?
    ) {
        self.code = code
        self.message = message
        self.errno = errno
        self.page = page
        self.commit = commit
        self.defect = defect
    }

    /// The error for an operation that needs an encrypted store, when the store is plain.
    static func plain(_ attempt: String) -> BullaError {
        BullaError(
            .notEncrypted,
            "\(attempt): the store is plain, and is not encrypted in place; compact makes an "
                + "encrypted copy")
    }

    /// Narrows a closure's untyped error to this type; an error of another type becomes `io`.
    ///
    /// The engine passes closures of its own to public methods, which throw whatever their closure
    /// throws. The compiler cannot tell that the engine's closures throw only this type.
    init(_ error: any Error, during attempt: @autoclosure () -> String) {
        self = error as? BullaError ?? BullaError(.io, "\(attempt()): \(error)")
    }

    /// A copy of this error whose message has `path`, which the caller knows, in place of `name`.
    func naming(_ path: String, insteadOf name: String) -> BullaError {
        BullaError(
            code, message.replacing(name, with: path), errno: errno, page: page, commit: commit,
            defect: defect)
    }

    /// The code and the message, in one line.
    public var description: String { "\(code.rawValue): \(message)" }
}

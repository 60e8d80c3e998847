/// What went wrong, in a form to switch on and in a form to read.
///
/// The message says what was attempted, on what, and what was found instead of what. It names files
/// by their paths, and never holds key material, keys, values, or names of trees: errors end up in
/// logs.
///
/// Verbs that throw this type alone say so in their signature, so a plain `catch` has it as its
/// `error`, and no `as BullaError` is needed:
///
/// ```swift
/// do {
///     let report = try Store.check(at: path, key: key)
///     print(report.damages.map { $0.message })
/// } catch {
///     guard error.code == .busy else { throw error }
/// }
/// ```
///
/// Let the last clause be a plain `catch`. Swift 6.3.1 with optimization crashes ("Found outside of
/// lifetime use") on a `do` of which three things are true: it calls what throws one type of error
/// that is no plain bits, and what rethrows of closures with a closure that throws nothing (`map`,
/// `contains`, the right side of `&&`); its clauses are `catch let error as BullaError`, `catch is`
/// or `catch where`, and none is plain; and it stands where other errors can be thrown on.
public struct BullaError: Error, Sendable, CustomStringConvertible {
    /// The kinds of failure that a caller may want to tell apart.
    public enum Code: String, Sendable, CaseIterable {
        /// The store is encrypted under another key; either half of the key may be the wrong one.
        case wrongKey
        /// A key was given, and the store is plain.
        case notEncrypted
        /// No key was given, and the store is encrypted.
        case encrypted
        /// The key is not 64 bytes long.
        case invalidKeyLength
        /// The file is not a Bulla store.
        case notAStore
        /// The file was written in a format that this version does not know.
        case unsupportedFormat
        /// The store has another page size or suite than was asked for.
        case optionMismatch
        /// Bytes of the file are not what was written there.
        case corrupted
        /// The store is older than the anchor that was given.
        case rolledBack
        /// A lock could not be had in time, or the store is in use in a way that excludes this.
        case busy
        /// There are more snapshots at once than the coordination file can name.
        case readersFull
        /// The disk, or the file size limit, leaves no room.
        case full
        /// The system gave no memory, or no address space.
        case outOfMemory
        /// The system refused a read, a write, or another call.
        case io
        /// A flush failed: what it covered is in doubt, and no further commit is accepted.
        case poisoned
        /// The store was opened before a fork, and this is the child.
        case usedAfterFork
        /// The file system cannot carry a store.
        case unsupportedFileSystem
        /// A key is longer than the page size allows, or empty.
        case keyTooLarge
        /// A value is longer than the limit of what was asked.
        case valueTooLarge
        /// There is no tree of that name.
        case treeNotFound
        /// A change was asked of a store opened for reading.
        case readOnly
        /// The store was closed.
        case closed
        /// The file was deleted, or another one stands in its place.
        case replaced
        /// An argument is outside what the call accepts.
        case invalidArgument
        /// The snapshot was ended, so that its pages could be used again.
        case snapshotExpired
        /// The commit is published and stands, but its flush could not be had in time: ``commit``
        /// is its number.
        ///
        /// Every process sees it, and later commits build on it; it must not be made again. It
        /// survives the death of this process, but not yet a loss of power.
        /// `Store.waitUntilDurable(_:)` waits for it once more.
        case notYetDurable
    }

    /// What kind of failure it is.
    public let code: Code
    /// What was attempted, on what, and what was found.
    public let message: String
    /// The system's error number, where the system gave one.
    public let errno: Int32?
    /// The page that is to blame, where one is.
    public let page: UInt64?
    /// The commit that is to blame, where one is.
    public let commit: UInt64?

    /// What kind of damage it is, where a page is to blame.
    let damage: StoreDamage.Kind?

    package init(
        _ code: Code, _ message: String, errno: Int32? = nil, page: UInt64? = nil,
        commit: UInt64? = nil
    ) {
        self.init(code, message, errno: errno, page: page, commit: commit, damage: nil)
    }

    init(
        _ code: Code, _ message: String, errno: Int32? = nil, page: UInt64?, commit: UInt64?,
        damage: StoreDamage.Kind?
    ) {
        self.code = code
        self.message = message
        self.errno = errno
        self.page = page
        self.commit = commit
        self.damage = damage
    }

    /// The same, said of the name that the caller knows.
    func naming(_ path: String, insteadOf name: String) -> BullaError {
        BullaError(
            code, message.replacing(name, with: path), errno: errno, page: page, commit: commit,
            damage: damage)
    }

    /// The code and the message, in one line.
    public var description: String { "\(code.rawValue): \(message)" }
}

import Bulla
import BullaTestSupport

/// The system's files, some of which cannot be opened in some modes.
struct RefusingStorage: StorageSystem {
    private let system = SystemStorage()
    private let number: Int32
    private let isRefused: @Sendable (String, OpenMode) -> Bool

    /// - Parameters:
    ///   - number: the system's error number.
    init(_ number: Int32, where isRefused: @escaping @Sendable (String, OpenMode) -> Bool) {
        self.number = number
        self.isRefused = isRefused
    }

    static let permissionDenied: Int32 = 13
    static let noSpaceLeft: Int32 = 28
    static let readOnlyFileSystem: Int32 = 30

    /// A read-only medium.
    static let readOnly = RefusingStorage(readOnlyFileSystem) { $1 != .reading }
    /// A user who may read the store, and write to its coordination file.
    static let readers = RefusingStorage(permissionDenied) { path, mode in
        mode == .writing && !isWorld(path)
    }
    /// A disk without space for a new file.
    static let full = RefusingStorage(noSpaceLeft) { $1 == .creating }

    static func isWorld(_ path: String) -> Bool { path.contains(".bulla-world") }

    func open(_ path: String, _ mode: OpenMode) throws(BullaError) -> any StorageFile {
        if isRefused(path, mode) { throw BullaError.system("open \(path)", number) }
        return try system.open(path, mode)
    }

    func resolve(_ path: String) throws(BullaError) -> String { try system.resolve(path) }
    func link(_ path: String, as name: String) throws(BullaError) -> Bool {
        try system.link(path, as: name)
    }
    func rename(_ path: String, to name: String) throws(BullaError) {
        try system.rename(path, to: name)
    }
    func remove(_ path: String) throws(BullaError) { try system.remove(path) }
    func identity(of path: String) throws(BullaError) -> FileIdentity? {
        try system.identity(of: path)
    }
    func flushFolder(of path: String) throws(BullaError) { try system.flushFolder(of: path) }
    func bootIdentifier() -> Identifier { system.bootIdentifier() }
}

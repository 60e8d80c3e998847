/// How long a file's name can be, given that files beside it get this name with something appended.
///
/// The length is checked before any of those files is made: a later error would name a file that
/// the caller has never heard of.
enum FileNameLimit {
    /// How many bytes a name can have in every file system that can hold a store.
    static let byteCount = 255

    /// A file that is made beside another, and has the other's name with something appended.
    enum Companion {
        /// The coordination file, while it is being made.
        case world
        /// A store, while it is being made.
        case newStore
        /// A store or other file that is built under a temporary name.
        case newFile

        fileprivate var byteCount: Int {
            switch self {
            case .world: World.path(of: "").utf8.count + ".new".utf8.count
            case .newStore: ".new-".utf8.count + Self.numberByteCount
            case .newFile:
                ".part-".utf8.count + Self.numberByteCount + Self.newStore.byteCount
            }
        }

        /// The maximum number of digits in the number that distinguishes the names of such files.
        private static let numberByteCount = "\(UInt64.max)".utf8.count
    }

    /// - Throws: `io`, with the system's error number, if a companion's name would be too long.
    static func check(_ path: String, for companion: Companion) throws(BullaError) {
        let name = path.utf8.split(separator: UInt8(ascii: "/")).last?.count ?? 0
        let limit = byteCount - companion.byteCount
        guard name > limit else { return }
        throw BullaError.nameTooLong(
            "use \(path): its name has \(name) bytes, but may have at most \(limit), because files "
                + "with longer names are made beside it")
    }
}

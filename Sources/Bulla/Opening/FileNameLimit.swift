/// How long the name of a file may be that others are made beside, whose names are longer.
///
/// Told before any of them is made: an error would name a file that the caller has never heard of.
enum FileNameLimit {
    /// Bytes of a name in every file system that carries a store.
    static let byteCount = 255

    /// What a file that others are made of has after its name.
    enum Companion {
        /// The coordination file, while it is made.
        case world
        /// A store, while it is made.
        case newStore
        /// A store or another file that is built under another name.
        case newFile

        fileprivate var byteCount: Int {
            switch self {
            case .world: World.path(of: "").utf8.count + ".new".utf8.count
            case .newStore: ".new-".utf8.count + Self.numberByteCount
            case .newFile:
                ".part-".utf8.count + Self.numberByteCount + Self.newStore.byteCount
            }
        }

        /// Digits of the greatest number that tells such files apart.
        private static let numberByteCount = "\(UInt64.max)".utf8.count
    }

    /// - Throws: `io` with the system's number for it, where a companion's name would be too long.
    static func check(_ path: String, for companion: Companion) throws(BullaError) {
        let name = path.utf8.split(separator: UInt8(ascii: "/")).last?.count ?? 0
        let limit = byteCount - companion.byteCount
        guard name > limit else { return }
        throw BullaError.nameTooLong(
            "use \(path): its name has \(name) bytes, at most \(limit) leave room for the names of "
                + "the files beside it")
    }
}

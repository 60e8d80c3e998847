import BullaTestSupport
import Glibc

/// An access list of a file, acl(5), which lets one user besides the owner read it.
struct AccessList {
    private typealias Set =
        @convention(c) (
            UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafeRawPointer, Int, Int32
        ) -> Int32

    private let bytes: [UInt8]

    /// Whether the tests' file system supports such lists.
    static let areKept: Bool = {
        guard let scratch = try? Scratch(), (try? scratch.write([1], to: "file")) != nil else {
            return false
        }
        return AccessList(reader: 1).put(on: scratch.path("file"))
    }()

    /// Makes a list of the version and entries for the owner, a user, the group, the mask and
    /// others, in the order that the kernel demands.
    init(reader: uid_t) {
        let entries: [(tag: UInt16, rights: UInt16, user: UInt32)] = [
            (0x01, 4, .max), (0x02, 4, reader), (0x04, 0, .max), (0x10, 4, .max), (0x20, 0, .max),
        ]
        bytes =
            [2, 0, 0, 0]
            + entries.flatMap { entry in
                Self.bytes(UInt64(entry.tag) | UInt64(entry.rights) << 16, count: 4)
                    + Self.bytes(UInt64(entry.user), count: 4)
            }
    }

    private static func bytes(_ number: UInt64, count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: number >> UInt64(8 * $0)) }
    }

    /// Sets a file's list; `false` if the file system has none.
    func put(on path: String) -> Bool {
        guard let symbol = unsafe dlsym(nil, "setxattr") else { return false }
        let set = unsafe unsafeBitCast(symbol, to: Set.self)
        // SAFETY: the signature of setxattr(2); all arguments outlive the call.
        return unsafe set(path, "system.posix_acl_access", bytes, bytes.count, 0) == 0
    }
}

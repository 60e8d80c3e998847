internal import BullaBenchKit
internal import CBerkeleyDB

/// The version of Berkeley DB, and its errors.
enum Berkeley {
    static var version: String {
        // SAFETY: the string is the library's own, and constant.
        let text = unsafe String(cString: db_version(nil, nil, nil))
        return text.prefix { $0 != ":" }.description
    }

    @inline(__always)
    static func check(_ code: Int32, _ attempt: @autoclosure () -> String) throws {
        guard code != 0 else { return }
        throw error(code, attempt())
    }

    /// Whether the library refused an operation because of a deadlock, so the caller should repeat
    /// it.
    static func isDeadlock(_ code: Int32) -> Bool {
        code == DB_LOCK_DEADLOCK || code == DB_LOCK_NOTGRANTED
    }

    static func error(_ code: Int32, _ attempt: String) -> BenchError {
        // SAFETY: the string is the library's own, and constant for each of the library's codes.
        BenchError(.store, unsafe "Berkeley DB: \(attempt): \(String(cString: db_strerror(code)))")
    }
}

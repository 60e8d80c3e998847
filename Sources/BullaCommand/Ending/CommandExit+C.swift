internal import Glibc

extension CommandExit {
    /// Whether a system error number means that there is no such file.
    static func isMissing(_ number: Int32?) -> Bool { number == ENOENT }

    /// The status for a system error number.
    init(systemError number: Int32) {
        self =
            switch number {
            case ENOENT, ENOTDIR, EISDIR: .noInput
            case EACCES, EPERM: .noPermission
            case EEXIST, EROFS: .cannotCreate
            default: .io
            }
    }
}

/// The system's message for an error number.
func systemMessage(_ number: Int32) -> String {
    // SAFETY: the string of `strerror` lasts until the next call; it is copied at once.
    unsafe String(cString: strerror(number))
}

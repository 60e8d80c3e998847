package import BullaCipher
package import BullaMemory
internal import Glibc

extension BullaError {
    /// What a refused system call comes to: `full` where room is missing on the disk,
    /// `outOfMemory` where it is missing in memory, `io` otherwise.
    ///
    /// - Parameters:
    ///   - attempt: what was refused; made only after `errno` was read, which making it may change.
    ///   - number: the refusal's number.
    package static func system(
        _ attempt: @autoclosure () -> String, _ number: Int32 = Glibc.errno
    ) -> BullaError {
        let text = unsafe String(cString: strerror(number))
        let isFull = number == ENOSPC || number == EDQUOT || number == EFBIG
        let code: Code = isFull ? .full : number == ENOMEM ? .outOfMemory : .io
        return BullaError(code, "\(attempt()): \(text)", errno: number)
    }

    /// A name that no file system takes.
    static func nameTooLong(_ message: String) -> BullaError {
        BullaError(.io, message, errno: ENAMETOOLONG)
    }

    package static func memory(_ attempt: String, _ error: MemoryError) -> BullaError {
        if error.reason == .system, error.errno != EAGAIN { return .system(attempt, error.errno) }
        return BullaError(.outOfMemory, "\(attempt): \(error)", errno: error.errno)
    }

    /// Whether a permission is missing, of the user or of the medium.
    var isOfPermission: Bool { errno == EACCES || errno == EPERM || errno == EROFS }

    /// A cipher that failed for a reason other than the bytes it was given: `outOfMemory` where
    /// there is no memory for it, `io` otherwise.
    package static func cipher(_ attempt: String, _ error: CipherError) -> BullaError {
        if let shortage = error.shortage { return .memory(attempt, shortage) }
        if error.code == .memory {
            return BullaError(
                .outOfMemory, "\(attempt): there is no memory for it, or its key is gone")
        }
        return BullaError(.io, "\(attempt): libcrypto refused (\(error))")
    }
}

package import BullaCipher
package import BullaMemory
internal import Glibc

extension BullaError {
    /// The error for a system call that failed: `full` if the disk has no room, or a quota or the
    /// limit on a file's size is reached; `outOfMemory` if memory is short; `io` otherwise.
    ///
    /// - Parameters:
    ///   - attempt: what failed; evaluated after `errno` is read, because evaluating it can change
    ///     `errno`.
    ///   - number: the error number.
    package static func system(
        _ attempt: @autoclosure () -> String, _ number: Int32 = Glibc.errno
    ) -> BullaError {
        let text = unsafe String(cString: strerror(number))
        let isFull = number == ENOSPC || number == EDQUOT || number == EFBIG
        let code: Code = isFull ? .full : number == ENOMEM ? .outOfMemory : .io
        return BullaError(code, "\(attempt()): \(text)", errno: number)
    }

    /// The error for a name that is too long for any file system.
    static func nameTooLong(_ message: String) -> BullaError {
        BullaError(.io, message, errno: ENAMETOOLONG)
    }

    package static func memory(_ attempt: String, _ error: MemoryError) -> BullaError {
        if error.reason == .system, error.errno != EAGAIN { return .system(attempt, error.errno) }
        return BullaError(.outOfMemory, "\(attempt): \(error)", errno: error.errno)
    }

    /// Whether the cause is that the process lacks a permission, or that the file system is
    /// read-only.
    var isOfPermission: Bool { errno == EACCES || errno == EPERM || errno == EROFS }

    /// The error for a cipher that failed for a reason other than its input: `outOfMemory` if
    /// memory is short, `io` otherwise.
    package static func cipher(_ attempt: String, _ error: CipherError) -> BullaError {
        if let shortage = error.shortage { return .memory(attempt, shortage) }
        if error.code == .memory {
            return BullaError(
                .outOfMemory, "\(attempt): there is no memory for it, or its key is gone")
        }
        return BullaError(.io, "\(attempt): libcrypto refused (\(error))")
    }
}

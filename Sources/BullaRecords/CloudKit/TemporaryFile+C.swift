internal import Foundation

/// A file that only this user can read, deleted with the last reference to it.
final class TemporaryFile: Sendable {
    let url: URL

    /// Creates a new file, for `body` to write.
    init(_ body: (FileHandle) throws -> Void) throws {
        url = FileManager.default.temporaryDirectory
            .appendingPathComponent("bulla-asset-\(UUID().uuidString)")
        // Refuses a file or a link that somebody else has put there.
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC
        // SAFETY: the path is lent for the call.
        let descriptor = unsafe url.withUnsafeFileSystemRepresentation { path in
            unsafe path.map { unsafe open($0, flags, 0o600) } ?? -1
        }
        guard descriptor >= 0 else {
            throw RecordError(.internalError, "read an asset: no temporary file can be made")
        }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        do {
            try body(file)
            try file.close()
        } catch {
            try? FileManager.default.removeItem(at: url)
            throw error
        }
    }

    deinit { try? FileManager.default.removeItem(at: url) }
}

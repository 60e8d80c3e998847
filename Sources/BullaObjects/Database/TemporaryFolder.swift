internal import FoundationEssentials

/// A folder that is deleted with the last reference to it; in memory if `/dev/shm` is writable.
final class TemporaryFolder: Sendable {
    let path: String

    /// - Throws: `store` if no folder can be made.
    init() throws(ObjectError) {
        let files = FileManager.default
        let memory = "/dev/shm"
        let parent =
            files.isWritableFile(atPath: memory) ? memory : files.temporaryDirectory.path
        path = "\(parent)/bulla-\(UUID().uuidString)"
        do {
            try files.createDirectory(
                atPath: path, withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o700])
        } catch {
            throw ObjectError(.store, "make a folder in \(parent): \(error)")
        }
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}

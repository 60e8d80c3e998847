internal import Glibc

/// A folder of this run's own, removed with all that is in it when the run ends.
package final class Scratch: Sendable {
    package let path: String
    private let isKept: Bool

    /// Makes the folder under `directory`.
    package init(under directory: String, isKept: Bool) throws {
        let template = directory + "/bulla-bench-XXXXXX"
        var bytes = Array(template.utf8CString)
        // SAFETY: the call rewrites the last six letters of the array, in place.
        guard unsafe mkdtemp(&bytes) != nil else {
            throw BenchError(system: "make a temporary folder under \(directory)")
        }
        path = String(decoding: bytes.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        self.isKept = isKept
        if !isKept { Interruption.shared.watch(folder: path) }
    }

    deinit {
        guard !isKept else { return }
        Interruption.shared.watch(folder: nil)
        try? Self.remove(path)
    }

    package func file(_ name: String) -> String { path + "/" + name }

    /// Removes a store: the file, and what may stand beside it.
    package func remove(store path: String) {
        for suffix in ["", ".bulla-world"] { Self.unlink(path + suffix) }
    }

    private static func unlink(_ path: String) {
        // SAFETY: the call reads the path, which lives across it. A file that is not there is fine.
        _ = unsafe Glibc.unlink(path)
    }

    /// Removes a folder of files.
    static func remove(_ path: String) throws {
        // SAFETY: the stream is ours until it is closed; an entry is copied before the next is
        // asked for.
        guard let stream = unsafe opendir(path) else { throw BenchError(system: "list \(path)") }
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { tuple in
                unsafe String(cString: UnsafeRawPointer(tuple).assumingMemoryBound(to: CChar.self))
            }
            if name != ".", name != ".." { unlink(path + "/" + name) }
        }
        unsafe closedir(stream)
        guard unsafe rmdir(path) == 0 else { throw BenchError(system: "remove \(path)") }
    }
}

internal import Glibc

/// Places in the file system.
package enum Folder {
    /// Checks that files can be made in the folder of `path`.
    package static func checkWritable(holding path: String) throws {
        let slash = path.lastIndex(of: "/")
        let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        // SAFETY: the call reads the path, which lives across it.
        guard unsafe access(folder, W_OK | X_OK) == 0 else {
            throw BenchError(system: "write \(path)")
        }
    }

    /// The absolute path of a folder, without links.
    package static func absolute(_ path: String) throws -> String {
        // SAFETY: the string is the caller's to free, after it has been copied.
        guard let text = unsafe realpath(path, nil) else {
            throw BenchError(system: "find the folder \(path)")
        }
        defer { unsafe free(text) }
        return unsafe String(cString: text)
    }
}

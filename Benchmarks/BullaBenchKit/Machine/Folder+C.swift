internal import Glibc

/// Places in the file system.
package enum Folder {
    /// Checks that a result can be written to `path`: to the file that is there, or to a new one.
    package static func checkWritable(_ path: String) throws {
        let flags = O_WRONLY | O_NONBLOCK | O_CLOEXEC
        // SAFETY: the call reads the path, which lives across it.
        let number = unsafe open(path, flags)
        switch number < 0 ? errno : 0 {
        case 0: close(number)
        // A named pipe that nobody reads yet.
        case ENXIO: break
        case ENOENT: try checkWritable(holding: path)
        case let code: throw BenchError(system: "write \(path)", code: code)
        }
    }

    /// Checks that files can be made in the folder of `path`.
    package static func checkWritable(holding path: String) throws {
        let slash = path.lastIndex(of: "/")
        let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        // As a folder: of a file, the answer would be about running it.
        // SAFETY: the call reads the path, which lives across it.
        guard unsafe access(folder + "/.", W_OK | X_OK) == 0 else {
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

    /// Makes a folder that nobody else may look into.
    package static func make(_ path: String) throws {
        // SAFETY: the call reads the path, which lives across it.
        guard unsafe mkdir(path, 0o700) == 0 else {
            throw BenchError(system: "make the folder \(path)")
        }
    }

    /// Removes a folder and all that is in it; what is not there is fine.
    package static func remove(_ path: String) {
        for name in names(in: path) {
            let inner = path + "/" + name
            // SAFETY: the calls read the path, which lives across them. A link is not followed.
            if unsafe unlink(inner) != 0, errno == EISDIR { remove(inner) }
        }
        // SAFETY: as above.
        _ = unsafe rmdir(path)
    }

    /// Removes a file; one that is not there is fine.
    package static func removeFile(_ path: String) {
        // SAFETY: the call reads the path, which lives across it.
        _ = unsafe unlink(path)
    }

    /// Copies the files of a folder whose names `isWanted` to another one, and waits until the disk
    /// has them.
    package static func copy(
        _ path: String, to target: String, where isWanted: (String) -> Bool
    ) throws {
        for name in names(in: path).sorted() where isWanted(name) {
            try Descriptor.open(path + "/" + name).copy(to: target + "/" + name)
        }
    }

    /// What a folder holds; nothing where it cannot be read.
    package static func names(in path: String) -> [String] {
        // SAFETY: the stream is ours until it is closed; an entry is copied before the next one.
        guard let stream = unsafe opendir(path) else { return [] }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { tuple in
                unsafe String(cString: UnsafeRawPointer(tuple).assumingMemoryBound(to: CChar.self))
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}

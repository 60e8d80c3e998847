internal import BullaText
internal import Foundation
internal import Glibc

package enum Folder {
    /// Checks that a result can be written to `path`, whether the file exists or not.
    package static func checkWritable(_ path: String) throws {
        let flags = O_WRONLY | O_NONBLOCK | O_CLOEXEC
        // SAFETY: the call reads the path, which lives across it.
        let number = unsafe open(path, flags)
        switch number < 0 ? errno : 0 {
        case 0: close(number)
        // The path is a named pipe that has no reader yet.
        case ENXIO: break
        case ENOENT: try checkWritable(holding: path)
        case let code: throw BenchError(system: "write \(path)", code: code)
        }
    }

    package static func checkWritable(holding path: String) throws {
        let slash = path.lastIndex(of: "/")
        let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        // The "/." makes the call fail for a file; without it, X_OK would accept an executable one.
        // SAFETY: the call reads the path, which lives across it.
        guard unsafe access(folder + "/.", W_OK | X_OK) == 0 else {
            throw BenchError(system: "write \(path)")
        }
    }

    package static func absolute(_ path: String) throws -> String {
        // SAFETY: this function owns the string, and frees it after copying it.
        guard let text = unsafe realpath(path, nil) else {
            throw BenchError(system: "find the folder \(path)")
        }
        defer { unsafe free(text) }
        return unsafe String(cString: text)
    }

    /// Makes a folder to which no other user has access.
    package static func make(_ path: String) throws {
        // SAFETY: the call reads the path, which lives across it.
        guard unsafe mkdir(path, 0o700) == 0 else {
            throw BenchError(system: "make the folder \(path)")
        }
    }

    /// Removes a folder and everything in it; a missing one is no error.
    package static func remove(_ path: String) { try? FileManager.default.removeItem(atPath: path) }

    /// Removes a file; a missing one is no error.
    package static func removeFile(_ path: String) {
        // SAFETY: the call reads the path, which lives across it.
        _ = unsafe unlink(path)
    }

    /// Copies files whose names satisfy `isWanted`, and waits until the copies are on the disk.
    package static func copy(
        _ path: String, to target: String, where isWanted: (String) -> Bool
    ) throws {
        for name in names(in: path).sorted() where isWanted(name) {
            try Descriptor.open(path + "/" + name).copy(to: target + "/" + name)
        }
    }

    /// The names in a folder; none if it cannot be read.
    package static func names(in path: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    }
}

/// A run's own folder, removed with everything in it when the run ends, unless it is to be kept.
///
/// If a run is killed, the next run in the same directory removes the killed run's folder. A run
/// locks the file `owner` in its folder, and the kernel releases the lock when the process ends.
package final class Scratch: Sendable {
    private static let prefix = "bulla-bench-"

    package let path: String
    private let owner: Descriptor
    private let isKept: Bool

    package init(under directory: String, isKept: Bool) throws {
        Self.removeAbandoned(under: directory)
        path = try Self.make(under: directory)
        owner = try Self.own(path)
        self.isKept = isKept
        if !isKept { Interruption.shared.watch(folder: path) }
    }

    deinit {
        guard !isKept else { return Folder.removeFile(path + "/owner") }
        Interruption.shared.watch(folder: nil)
        Folder.remove(path)
    }

    package func file(_ name: String) -> String { path + "/" + name }

    private static func own(_ path: String) throws -> Descriptor {
        // Lock the file before it is named `owner`, so that an unlocked `owner` means an ended run.
        let owner = try Descriptor.create(path + "/owner.new")
        // SAFETY: the call reads the paths, which live across it.
        guard flock(owner.number, LOCK_EX | LOCK_NB) == 0,
            unsafe rename(path + "/owner.new", path + "/owner") == 0
        else { throw BenchError(system: "own the folder \(path)") }
        return owner
    }

    /// Removes the folders of ended runs, except those kept on purpose, which have no owner file.
    private static func removeAbandoned(under directory: String) {
        for name in Folder.names(in: directory) where name.hasPrefix(prefix) {
            let path = directory + "/" + name
            guard let owner = try? Descriptor.open(path + "/owner"),
                flock(owner.number, LOCK_EX | LOCK_NB) == 0
            else { continue }
            Folder.remove(path)
        }
    }

    private static func make(under directory: String) throws -> String {
        var bytes = Array((directory + "/" + prefix + "XXXXXX").utf8CString)
        // SAFETY: the call rewrites the last six letters of the array, in place.
        guard unsafe mkdtemp(&bytes) != nil else {
            throw BenchError(system: "make a temporary folder under \(directory)")
        }
        return String(decoding: bytes.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

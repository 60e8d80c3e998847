internal import Glibc

/// A folder of this run's own, removed with all that is in it when the run ends.
///
/// A run that was killed cannot remove its own: the next one under the same directory does. Who is
/// alive holds a lock on the file `owner` in its folder, which the kernel drops with the process.
package final class Scratch: Sendable {
    private static let prefix = "bulla-bench-"

    package let path: String
    private let owner: Descriptor
    private let isKept: Bool

    /// Makes the folder under `directory`.
    package init(under directory: String, isKept: Bool) throws {
        Self.removeAbandoned(under: directory)
        path = try Self.make(under: directory)
        owner = try Self.own(path)
        self.isKept = isKept
        if !isKept { Interruption.shared.watch(folder: path) }
    }

    deinit {
        guard !isKept else { return Self.unlink(path + "/owner") }
        Interruption.shared.watch(folder: nil)
        Folder.remove(path)
    }

    package func file(_ name: String) -> String { path + "/" + name }

    /// Says that the owner is alive.
    private static func own(_ path: String) throws -> Descriptor {
        // It gets its name when it is locked: a file that is found is never about to be locked.
        let owner = try Descriptor.create(path + "/owner.new")
        // SAFETY: the call reads the paths, which live across it.
        guard flock(owner.number, LOCK_EX | LOCK_NB) == 0,
            unsafe rename(path + "/owner.new", path + "/owner") == 0
        else { throw BenchError(system: "own the folder \(path)") }
        return owner
    }

    /// Removes the folders whose owners are gone; one that is kept on purpose has no owner file.
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

    private static func unlink(_ path: String) {
        // SAFETY: the call reads the path, which lives across it. A file that is not there is fine.
        _ = unsafe Glibc.unlink(path)
    }
}

internal import Glibc

/// Files of a fuzzer, in memory if the system allows it.
enum FuzzFile {
    /// A folder of this process.
    static let folder: String = {
        // SAFETY: the names end with a zero byte, and nothing changes the environment.
        let place = unsafe access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "."
        let name = "\(place)/bulla-fuzz-\(getpid())"
        precondition(unsafe mkdir(name, 0o700) == 0, "a folder can be made")
        atexit { FuzzFile.removeAll() }
        return name
    }()

    static func path(_ name: String) -> String { "\(folder)/\(name)" }

    /// Replaces a file; returns whether that succeeded.
    static func write(_ bytes: [UInt8], to path: String) -> Bool {
        let file = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard file >= 0 else { return false }
        defer { _ = Glibc.close(file) }
        // SAFETY: the array is alive during the call, and has this many bytes.
        return unsafe Glibc.write(file, bytes, bytes.count) == bytes.count
    }

    /// Overwrites a part of an existing file.
    static func scribble(_ bytes: [UInt8], at offset: Int, in path: String) {
        let file = unsafe open(path, O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { return }
        // SAFETY: the array is alive during the call, and has this many bytes.
        _ = unsafe pwrite(file, bytes, bytes.count, offset)
        _ = Glibc.close(file)
    }

    static func read(_ path: String, byteCount: Int) -> [UInt8] {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return [] }
        defer { _ = Glibc.close(file) }
        var bytes = [UInt8](repeating: 0, count: byteCount)
        // SAFETY: the array has room for this many bytes.
        let count = unsafe pread(file, &bytes, byteCount, 0)
        return Array(bytes.prefix(max(count, 0)))
    }

    static func remove(_ path: String) { _ = unsafe unlink(path) }

    private static func removeAll() {
        for name in [
            "keys", "store", "store.bulla-world", "store.bulla-world.new", "records",
        ] {
            remove(path(name))
        }
        _ = unsafe rmdir(folder)
    }
}

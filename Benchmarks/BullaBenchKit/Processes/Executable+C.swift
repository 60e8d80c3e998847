internal import Glibc

/// The program that is running.
package enum Executable {
    /// Its path, which a worker is spawned from.
    package static func path() throws -> String {
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
        // SAFETY: the call writes at most as much as the array has.
        let count = unsafe readlink("/proc/self/exe", &bytes, bytes.count)
        guard count > 0, count < bytes.count else {
            throw BenchError(system: "find this program's own file")
        }
        return String(decoding: bytes[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Whether there is a program that this process may start.
    package static func isThere(_ path: String) -> Bool {
        // SAFETY: the call reads the path, which lives across it.
        unsafe access(path, X_OK) == 0
    }
}

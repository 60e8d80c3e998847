import BullaTestSupport
import Glibc
import Testing

/// Files that are not regular files.
enum SpecialFile {
    /// Makes a named pipe to which nothing writes.
    static func makePipe(at path: String) throws { try #require(unsafe mkfifo(path, 0o600) == 0) }

    /// A named socket, which exists as long as this object.
    final class Socket {
        private let number: Int32

        init(at path: String) throws {
            number = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            let room = MemoryLayout.size(ofValue: address.sun_path)
            try #require(path.utf8.count < room)
            // SAFETY: the path fits, and the address is read during the call.
            unsafe withUnsafeMutableBytes(of: &address.sun_path) {
                unsafe $0.copyBytes(from: path.utf8)
            }
            let isBound = unsafe withUnsafePointer(to: &address) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe bind(number, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
            try #require(isBound == 0)
        }

        deinit { _ = close(number) }
    }
}

#if PostgreSQL
import BullaRecordsPostgreSQL
import BullaTestSupport
import Foundation
import Glibc
import Synchronization

/// Stands between a gateway and a server, and loses what the test asks it to lose.
///
/// Each connection has a thread, which passes on what either side sends.
final class LossyRelay: Sendable {
    enum Loss: Sendable {
        /// Nothing is lost.
        case none
        /// The request to commit does not reach the server.
        case commit
        /// The server commits, but its reply does not reach the gateway.
        case reply

        /// A random choice among these loses every second commit on average.
        static let often: [Loss] = [.none, .none, .commit, .reply]
    }

    /// The kind of socket; a server that the test starts does not inherit such sockets.
    ///
    /// Otherwise, the server would keep connections open after the relay has closed them.
    private static let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)

    private let scratch: Scratch
    private let listener: Int32
    private let server: String
    private let plan: @Sendable () -> Loss

    /// - Parameter plan: what is lost of the next commit; called from any thread.
    init(to cluster: PostgreSQLCluster, plan: @escaping @Sendable () -> Loss) throws {
        scratch = try Scratch()
        server = cluster.socket
        self.plan = plan
        listener = socket(AF_UNIX, Self.kind, 0)
        // SAFETY: the address lives through the call.
        let isBound = unsafe Self.withAddress(scratch.path(PostgreSQLCluster.socketName)) {
            unsafe bind(listener, $0, $1) == 0
        }
        guard isBound, listen(listener, 64) == 0 else {
            throw ClusterFault(message: "the relay cannot listen")
        }
        Thread.detachNewThread { [listener, server] in Self.accept(listener, server, plan) }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    /// The address of the same database, reached through this relay.
    func address(_ database: String) throws -> DatabaseAddress {
        try DatabaseAddress(
            .socket(folder: scratch.folder), database: database, user: PostgreSQLCluster.user)
    }

    private static func accept(
        _ listener: Int32, _ server: String, _ plan: @escaping @Sendable () -> Loss
    ) {
        while true {
            let client = Glibc.accept(listener, nil, nil)
            guard client >= 0 else { return }
            _ = fcntl(client, F_SETFD, FD_CLOEXEC)
            Thread.detachNewThread { relay(client, server, plan) }
        }
    }

    private static func relay(_ client: Int32, _ server: String, _ plan: () -> Loss) {
        let upstream = socket(AF_UNIX, kind, 0)
        defer {
            close(client)
            close(upstream)
        }
        // SAFETY: the address lives through the call.
        guard unsafe withAddress(server, { unsafe connect(upstream, $0, $1) == 0 }) else { return }
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        var losesReply = false
        while true {
            var ends = [
                pollfd(fd: client, events: Int16(POLLIN), revents: 0),
                pollfd(fd: upstream, events: Int16(POLLIN), revents: 0),
            ]
            // SAFETY: here and below, the buffers have as many places as the counts say.
            guard unsafe poll(&ends, 2, -1) > 0 else { return }
            if ends[0].revents != 0 {
                let count = unsafe read(client, &bytes, bytes.count)
                guard count > 0 else { return }
                if isCommit(bytes[..<count]) {
                    switch plan() {
                    case .none: break
                    case .commit: return
                    case .reply: losesReply = true
                    }
                }
                guard send(bytes[..<count], to: upstream) else { return }
            }
            if ends[1].revents != 0 {
                let count = unsafe read(upstream, &bytes, bytes.count)
                guard count > 0, !losesReply, send(bytes[..<count], to: client) else { return }
            }
        }
    }

    private static func isCommit(_ bytes: ArraySlice<UInt8>) -> Bool {
        // A simple query: its letter, its length, its text.
        bytes.first == UInt8(ascii: "Q") && bytes.dropFirst(5).starts(with: "COMMIT".utf8)
    }

    private static func send(_ bytes: ArraySlice<UInt8>, to end: Int32) -> Bool {
        unsafe bytes.withUnsafeBytes { bytes in
            var sent = 0
            while sent < bytes.count {
                let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[sent...])
                let count = unsafe Glibc.send(
                    end, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
                guard count > 0 else { return false }
                sent += count
            }
            return true
        }
    }

    private static func withAddress<R>(
        _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> R
    ) -> R {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        // SAFETY: the path is cut to fit.
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { room in
            let text = Array(path.utf8.prefix(room.count - 1)) + [0]
            unsafe room.copyBytes(from: text)
        }
        return unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
#endif

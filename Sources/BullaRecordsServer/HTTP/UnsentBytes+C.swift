#if Service
internal import Glibc
internal import NIOCore

extension Channel {
    /// Sees to it that the connection's close drops what its client has not taken.
    ///
    /// The kernel would otherwise keep up to some MiB of it, and the connection, for as long as the
    /// client takes a little of it now and then.
    func dropUnsentBytesAtClose() {
        guard let socket = self as? any SocketOptionProvider else { return }
        _ = socket.setSoLinger(linger(l_onoff: 1, l_linger: 0))
    }
}
#endif

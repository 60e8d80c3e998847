#if Service
internal import Glibc
internal import NIOCore

extension Channel {
    /// Makes the kernel drop the bytes that the client has not read, as soon as the connection is
    /// closed.
    ///
    /// Otherwise the kernel would keep the connection, and up to several MiB for it, for as long as
    /// the client reads a little from time to time.
    func dropUnsentBytesAtClose() {
        guard let socket = self as? any SocketOptionProvider else { return }
        _ = socket.setSoLinger(linger(l_onoff: 1, l_linger: 0))
    }
}
#endif

package import BullaRecords

/// The place of a backend; a test can end the backend, and start another over the durable data.
package protocol BackendRoom: AnyObject, Sendable {
    /// The running backend.
    var backend: any RecordBackend { get }
    /// Ends the backend, and starts another in its place.
    ///
    /// No thread may be calling the backend that ends.
    func restart() throws
}

/// A kind of backend, of which each test can make its own.
package struct BackendMaker: Sendable, CustomStringConvertible {
    package let description: String
    package let make: @Sendable () throws -> any BackendRoom

    package init(_ description: String, _ make: @escaping @Sendable () throws -> any BackendRoom) {
        (self.description, self.make) = (description, make)
    }

    /// The backend in memory; it has nothing durable to restart from, so a restart does nothing.
    package static let memory = BackendMaker("in memory") { MemoryRoom() }
}

private final class MemoryRoom: BackendRoom {
    let backend: any RecordBackend = MemoryBackend()
    func restart() {}
}

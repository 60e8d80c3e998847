package import BullaRecords

/// Where a backend lives: who tests it can end it, and begin another over what is durable.
package protocol BackendRoom: AnyObject, Sendable {
    /// The backend that runs now.
    var backend: any RecordBackend { get }
    /// Ends the backend, and begins another in its place.
    ///
    /// Nobody else calls the one that ends.
    func restart() throws
}

/// A kind of backend, which can be made as often as there are tests.
package struct BackendMaker: Sendable, CustomStringConvertible {
    package let description: String
    package let make: @Sendable () throws -> any BackendRoom

    package init(_ description: String, _ make: @escaping @Sendable () throws -> any BackendRoom) {
        (self.description, self.make) = (description, make)
    }

    /// The one in memory, which has nothing to begin again from, and goes on.
    package static let memory = BackendMaker("in memory") { MemoryRoom() }
}

private final class MemoryRoom: BackendRoom {
    let backend: any RecordBackend = MemoryBackend()
    func restart() {}
}

import BullaRecords
import BullaRecordsSupport
import Synchronization

/// A backend shared with another core.
final class SharedRoom: BackendRoom {
    let backend: any RecordBackend
    init(_ backend: any RecordBackend) { self.backend = backend }
    func restart() {}
}

/// A flag that is true for the first caller that takes it, and false for all others.
final class Once: Sendable {
    private let isLeft = Atomic(true)
    func take() -> Bool { isLeft.exchange(false, ordering: .relaxed) }
}

internal import Synchronization

/// What ends with a store.
final class StoreDependents: Sendable {
    /// One that may have gone by itself.
    private struct Dependent: Sendable {
        private(set) weak var object: (any StoreDependent)?
    }

    private let gate: Gate
    private let dependents = Mutex<[Dependent]>([])

    init(_ gate: Gate) { self.gate = gate }

    /// Sees to it that a dependent ends when the store is closed.
    func add(_ dependent: any StoreDependent) {
        dependents.withLock { dependents in
            dependents.removeAll { $0.object == nil }
            dependents.append(Dependent(object: dependent))
        }
        // One that comes while the store is closed ends at once.
        if gate.isShut { dependent.endWithStore() }
    }

    /// Ends them, when the gate is shut.
    func end() {
        let dependents = dependents.withLock { dependents in
            defer { dependents.removeAll() }
            return dependents
        }
        for dependent in dependents { dependent.object?.endWithStore() }
    }
}

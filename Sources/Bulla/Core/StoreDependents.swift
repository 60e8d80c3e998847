internal import Synchronization

/// The objects that must end with a store.
final class StoreDependents: Sendable {
    /// A dependent, whose object may be gone already.
    private struct Dependent: Sendable {
        private(set) weak var object: (any StoreDependent)?
    }

    private let gate: Gate
    private let dependents = Mutex<[Dependent]>([])

    init(_ gate: Gate) { self.gate = gate }

    /// Makes a dependent end when the store is closed.
    func add(_ dependent: any StoreDependent) {
        dependents.withLock { dependents in
            dependents.removeAll { $0.object == nil }
            dependents.append(Dependent(object: dependent))
        }
        // A dependent that comes after the gate was shut ends at once.
        if gate.isShut { dependent.endWithStore() }
    }

    /// Ends the dependents; call this after the gate is shut.
    func end() {
        let dependents = dependents.withLock { dependents in
            defer { dependents.removeAll() }
            return dependents
        }
        for dependent in dependents { dependent.object?.endWithStore() }
    }
}

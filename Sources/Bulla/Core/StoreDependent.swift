internal import Synchronization

/// What has secrets of its own, made of a store, and has to end with it.
protocol StoreDependent: AnyObject, Sendable {
    func endWithStore()
}

/// A dependent that may have gone by itself.
struct Dependent: Sendable {
    private(set) weak var object: (any StoreDependent)?
}

extension StoreCore {
    /// Sees to it that what depends on the store ends when it is closed.
    func end(with dependent: any StoreDependent) {
        dependents.withLock { dependents in
            dependents.removeAll { $0.object == nil }
            dependents.append(Dependent(object: dependent))
        }
        // One that comes while the store is closed ends at once.
        if gate.isShut { dependent.endWithStore() }
    }
}

/// The async forms of the methods that change a vault; they stretch passwords and wait for locks
/// and disks on threads that tasks do not share.
extension Vault {
    /// Adds a slot without blocking the threads that tasks share.
    ///
    /// - Parameters:
    ///   - key: the additional key, password or key service.
    ///   - label: the slot's label.
    /// - Returns: the slot's number.
    /// - Throws: as the form that is not `async`.
    @discardableResult
    public func addSlot(
        for key: StoreKey, label: String? = nil
    ) async throws(BullaError) -> Int {
        try await core.changeAside { [self] () throws(BullaError) in
            try addSlot(for: key, label: label)
        }
    }

    /// Removes a slot without blocking the threads that tasks share.
    ///
    /// - Throws: as the form that is not `async`.
    public func removeSlot(_ number: Int) async throws(BullaError) {
        try await core.changeAside { [self] () throws(BullaError) in
            try removeSlot(number)
        }
    }

    /// Gives a slot another key, password or key service, without blocking the threads that tasks
    /// share.
    ///
    /// - Throws: as the form that is not `async`.
    public func changeSlot(
        _ number: Int, to key: StoreKey, label: String? = nil
    ) async throws(BullaError) {
        try await core.changeAside { [self] () throws(BullaError) in
            try changeSlot(number, to: key, label: label)
        }
    }

    /// Seals all blobs of some trees anew without blocking the threads that tasks share.
    ///
    /// - Parameters:
    ///   - trees: the names of the trees.
    ///   - portion: how many blobs to seal in each transaction.
    ///   - progress: receives the number of blobs done, without a total, after each portion, on a
    ///     background thread. By throwing, it stops the call; a later call seals the rest.
    /// - Throws: as the form that is not `async`; `cancelled` soon after the task is cancelled.
    public func reseal(
        trees: [TreeName], portion: Int = 256,
        progress: @escaping @Sendable (TaskProgress) throws(BullaError) -> Void = { _ in }
    ) async throws(BullaError) {
        try await core.changeAside(reporting: progress) { [self] report throws(BullaError) in
            try reseal(trees: trees, portion: portion, progress: report)
        }
    }
}

internal import Dispatch

/// Changes of keys that stretch passwords, and wait for locks and disks, off the threads that tasks
/// share.
extension Store {
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
        try await changeKeys { store throws(BullaError) in
            try store.addSlot(for: key, label: label)
        }
    }

    /// Removes a slot without blocking the threads that tasks share.
    ///
    /// - Throws: as the form that is not `async`.
    public func removeSlot(_ number: Int) async throws(BullaError) {
        try await changeKeys { store throws(BullaError) in try store.removeSlot(number) }
    }

    /// Gives a slot another key, password or key service, without blocking the threads that tasks
    /// share.
    ///
    /// - Throws: as the form that is not `async`.
    public func changeSlot(
        _ number: Int, to key: StoreKey, label: String? = nil
    ) async throws(BullaError) {
        try await changeKeys { store throws(BullaError) in
            try store.changeSlot(number, to: key, label: label)
        }
    }

    /// Changes the store's key without blocking the threads that tasks share.
    ///
    /// - Throws: as the form that is not `async`.
    public func changeKey(to key: StoreKey) async throws(BullaError) {
        try await changeKeys { store throws(BullaError) in try store.changeKey(to: key) }
    }

    /// Starts using new data keys without blocking the threads that tasks share.
    ///
    /// - Throws: as the form that is not `async`.
    public func rotateDataKeys() async throws(BullaError) {
        try await changeKeys { store throws(BullaError) in try store.rotateDataKeys() }
    }

    /// Tries a key without blocking the threads that tasks share.
    ///
    /// - Throws: as the form that is not `async`.
    public static func verifyKey(
        _ key: StoreKey, at path: String
    ) async throws(BullaError) -> Bool {
        try await DispatchQueue(label: "bulla.key").run { () throws(BullaError) in
            try verifyKey(key, at: path)
        }
    }

    /// Runs a change of the keys on a thread of its own, unless the task itself is writing.
    private func changeKeys<R: Sendable>(
        _ change: @escaping @Sendable (Store) throws(BullaError) -> R
    ) async throws(BullaError) -> R {
        try core.writerLock.checkTurn("change the keys of")
        return try await DispatchQueue(label: "bulla.key").run { [self] () throws(BullaError) in
            try change(self)
        }
    }
}

extension StoreKey {
    /// Stretches a password without blocking the threads that tasks share.
    ///
    /// - Returns: the key of the slot that this key opens in the store at `path`.
    /// - Throws: as the form that is not `async`.
    public func unlocked(for path: String) async throws(BullaError) -> StoreKey {
        try await DispatchQueue(label: "bulla.key").run { [self] () throws(BullaError) in
            try unlocked(for: path)
        }
    }
}

internal import Dispatch

/// The async forms of key changes, which stretch passwords and wait for locks and disks on threads
/// that tasks do not share.
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
        try await core.changeAside("change the keys of") { [self] () throws(BullaError) in
            try addSlot(for: key, label: label)
        }
    }

    /// Removes a slot without blocking the threads that tasks share.
    ///
    /// - Throws: as the form that is not `async`.
    public func removeSlot(_ number: Int) async throws(BullaError) {
        try await core.changeAside("change the keys of") { [self] () throws(BullaError) in
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
        try await core.changeAside("change the keys of") { [self] () throws(BullaError) in
            try changeSlot(number, to: key, label: label)
        }
    }

    /// Changes the store's key without blocking the threads that tasks share.
    ///
    /// - Throws: as the form that is not `async`.
    public func changeKey(to key: StoreKey) async throws(BullaError) {
        try await core.changeAside("change the keys of") { [self] () throws(BullaError) in
            try changeKey(to: key)
        }
    }

    /// Starts using new data keys without blocking the threads that tasks share.
    ///
    /// - Throws: as the form that is not `async`.
    public func rotateDataKeys() async throws(BullaError) {
        try await core.changeAside("change the keys of") { [self] () throws(BullaError) in
            try rotateDataKeys()
        }
    }

    /// Whether a key opens the store at `path`, without blocking the threads that tasks share.
    ///
    /// - Throws: as the form that is not `async`.
    public static func verifyKey(
        _ key: StoreKey, at path: String
    ) async throws(BullaError) -> Bool {
        try await DispatchQueue(label: "bulla.key").run { () throws(BullaError) in
            try verifyKey(key, at: path)
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

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

    /// Starts using new data keys, without blocking the threads that tasks share.
    ///
    /// - Throws: as the form that is not `async`.
    public func rotateDataKeys() async throws(BullaError) {
        try await core.changeAside("change the keys of") { [self] () throws(BullaError) in
            try rotateDataKeys()
        }
    }

    /// Finds out, without blocking the threads that tasks share, whether a key opens the store at
    /// `path`.
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

/// The async forms of making keys, which wait for slow sources and stretch passwords on threads
/// that tasks do not share.
extension StoreKey {
    /// A key from a file, read without blocking the threads that tasks share.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - timeout: how long to wait for the end of the key, if the file is a pipe.
    /// - Throws: as the form that is not `async`.
    public convenience init(
        contentsOfFile path: String, timeout: Duration = .seconds(30)
    ) async throws(BullaError) {
        let key = try await Self.aside { () throws(BullaError) in
            try StoreKey(contentsOfFile: path, timeout: timeout)
        }
        self.init(key.means)
    }

    /// A key from a descriptor, read without blocking the threads that tasks share.
    ///
    /// - Parameters:
    ///   - descriptor: an open file, pipe or socket, which stays open.
    ///   - timeout: how long to wait for the end of the key.
    /// - Throws: as the form that is not `async`.
    public convenience init(
        readingFrom descriptor: Int32, timeout: Duration = .seconds(30)
    ) async throws(BullaError) {
        let key = try await Self.aside { () throws(BullaError) in
            try StoreKey(readingFrom: descriptor, timeout: timeout)
        }
        self.init(key.means)
    }

    /// A key from a source, taken without blocking the threads that tasks share.
    ///
    /// - Throws: as the form that is not `async`.
    public convenience init(from source: some KeySource) async throws(BullaError) {
        let key = try await Self.aside { () throws(BullaError) in
            try StoreKey(from: source)
        }
        self.init(key.means)
    }

    /// Stretches a password without blocking the threads that tasks share.
    ///
    /// - Returns: the key of the slot that this key opens in the store at `path`.
    /// - Throws: as the form that is not `async`.
    public func unlocked(for path: String) async throws(BullaError) -> StoreKey {
        try await Self.aside { [self] () throws(BullaError) in try unlocked(for: path) }
    }

    /// Runs a closure that makes a key, on a thread of its own.
    private static func aside(
        _ make: @escaping @Sendable () throws(BullaError) -> StoreKey
    ) async throws(BullaError) -> StoreKey {
        try await DispatchQueue(label: "bulla.key").run(make)
    }
}

extension PasswordStretching {
    /// The strongest scrypt that takes less than `limit` on this machine, but none weaker than
    /// ``recommended``; found without blocking the threads that tasks share.
    ///
    /// - Throws, Complexity: as the form that is not `async`.
    public static func calibrated(
        for limit: Duration
    ) async throws(BullaError) -> PasswordStretching {
        try await DispatchQueue(label: "bulla.key").run { () throws(BullaError) in
            try calibrated(for: limit)
        }
    }
}

/// The lock that a worker holds while it joins or leaves a pool.
struct PoolDoor {
    private let file: PoolFile

    init(_ file: PoolFile) { self.file = file }

    /// Takes the lock; `false` if another worker holds it for longer than `timeout`.
    func pass(timeout: Duration) throws(BullaError) -> Bool {
        let deadline = ContinuousClock.now + timeout
        while try !file.lock(PoolLayout.doorByte) {
            guard ContinuousClock.now < deadline else { return false }
            Pause.brief()
        }
        return true
    }
}

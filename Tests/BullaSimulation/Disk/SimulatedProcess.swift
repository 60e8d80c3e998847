package import Bulla
internal import Synchronization

/// A process that uses a simulated disk; its open files die with it.
package final class SimulatedProcess: StorageSystem {
    package let disk: SimulatedDisk
    private let isKilled = Atomic(false)
    /// Held while the process dies.
    private let dying = Mutex(())
    private let files = Mutex<[WeakFile]>([])

    private struct WeakFile { weak var file: SimulatedFile? }

    package init(_ disk: SimulatedDisk) { self.disk = disk }

    /// Begins a call; throws or returns its fault.
    func begin(
        _ call: DiskCall, _ name: String, offset: UInt64 = 0
    ) throws(BullaError) -> DiskFault.Effect? {
        if isDead { throw dead() }
        let effect = try disk.begin(call, name, offset: offset)
        if case .kill(isBefore: true) = effect { throw kill() }
        return effect
    }

    /// The error of calls after the process's death; it reaches nobody.
    func dead() -> BullaError {
        dying.withLock { _ in BullaError.system("go on after death", 3) }
    }

    /// Whether the process was killed.
    package var isDead: Bool { isKilled.load(ordering: .acquiring) }

    /// Kills the process: its locks are released, and nothing that it does reaches anybody.
    ///
    /// Kill it before its stores are closed, because killing it replaces their mappings in place.
    ///
    /// - Returns: the error that its calls throw from now on.
    @discardableResult
    package func kill() -> BullaError {
        dying.withLock { _ in
            guard !isKilled.exchange(true, ordering: .acquiringAndReleasing) else { return }
            let files = files.withLock { $0 }
            for known in files { known.file?.sever() }
            for known in files { known.file?.close() }
        }
        return dead()
    }

    package func resolve(_ path: String) throws(BullaError) -> String { path }

    package func open(_ path: String, _ mode: OpenMode) throws(BullaError) -> any StorageFile {
        _ = try begin(.open, path)
        let (cached, number) = try disk.open(path, mode)
        let file = SimulatedFile(path, self, cached, number: number)
        files.withLock { files in
            files.removeAll { $0.file == nil }
            files.append(WeakFile(file: file))
        }
        return file
    }

    package func link(_ path: String, as name: String) throws(BullaError) -> Bool {
        let effect = try begin(.link, path)
        if disk.isThere(name) { return false }
        try change(.link(name: path, newName: name), of: path, effect)
        return true
    }

    package func rename(_ path: String, to name: String) throws(BullaError) {
        let effect = try begin(.rename, path)
        try change(.rename(name: path, newName: name), of: path, effect)
    }

    private func change(
        _ event: DiskEvent, of path: String, _ effect: DiskFault.Effect?
    ) throws(BullaError) {
        guard disk.isThere(path) else { throw BullaError.system("find \(path)", 2) }
        try disk.change(event, by: self)
        if case .kill = effect { throw kill() }
    }

    package func remove(_ path: String) throws(BullaError) {
        let effect = try begin(.remove, path)
        if disk.isThere(path) { try change(.remove(name: path), of: path, effect) }
    }

    package func identity(of path: String) throws(BullaError) -> FileIdentity? {
        _ = try begin(.identity, path)
        return disk.identity(path)
    }

    package func flushFolder(of path: String) throws(BullaError) {
        _ = try begin(.flushNames, path)
        try disk.change(.flushNames, by: self)
    }

    package func bootIdentifier() -> Identifier { Identifier(high: 0xB0_07, low: disk.boot) }
}

internal import BullaMemory
internal import Synchronization

/// A blob of a vault that could not be opened.
public struct VaultFailure: Sendable {
    /// The vault's name.
    public let vault: String
    /// The number of the tree that holds the blob.
    public let treeNumber: Int
    /// The key under which the blob lies.
    public let key: [UInt8]
    /// Why the blob could not be opened.
    public let error: BullaError

    init(_ vault: Vault, _ place: SealedPlace, _ error: BullaError) {
        self.vault = vault.name
        treeNumber = place.tree.number
        key = place.key.copied()
        self.error = error
    }
}

/// How often a ``Vault`` was used since it was opened.
public struct VaultStatistics: Sendable, Hashable, Codable {
    /// How many blobs were opened.
    public let openedCount: Int
    /// How many blobs were sealed.
    public let sealedCount: Int
    /// How many blobs did not open; calls that failed because the vault was locked do not count.
    public let failedCount: Int
}

extension Vault {
    /// How often this ``Vault`` was used since it was opened.
    public var statistics: VaultStatistics { counts.statistics }

    /// Makes a stream of the blobs that the vault fails to open from now on.
    ///
    /// Each call makes a stream of its own, which ends when the vault is locked. A slow consumer
    /// gets only the newest 256 failures.
    public func makeFailureStream() -> AsyncStream<VaultFailure> { watchers.makeStream() }
}

/// Counts the uses of a vault.
final class VaultCounts: Sendable {
    enum Use { case opened, sealed, failed }

    private let opened = Atomic(0)
    private let sealed = Atomic(0)
    private let failed = Atomic(0)

    func add(_ use: Use) {
        switch use {
        case .opened: opened.add(1, ordering: .relaxed)
        case .sealed: sealed.add(1, ordering: .relaxed)
        case .failed: failed.add(1, ordering: .relaxed)
        }
    }

    var statistics: VaultStatistics {
        VaultStatistics(
            openedCount: opened.load(ordering: .relaxed),
            sealedCount: sealed.load(ordering: .relaxed),
            failedCount: failed.load(ordering: .relaxed))
    }
}

/// The consumers of a vault's failures.
final class VaultWatchers: Sendable {
    private struct State {
        var next = 0
        var watchers: [Int: AsyncStream<VaultFailure>.Continuation] = [:]
        var isFinished = false
    }

    private let state = Mutex(State())
    private static let keptCount = 256

    func makeStream() -> AsyncStream<VaultFailure> {
        AsyncStream(bufferingPolicy: .bufferingNewest(Self.keptCount)) { continuation in
            let number = state.withLock { state -> Int? in
                guard !state.isFinished else { return nil }
                state.next += 1
                state.watchers[state.next] = continuation
                return state.next
            }
            guard let number else { return continuation.finish() }
            continuation.onTermination = { [weak self] _ in
                self?.state.withLock { _ = $0.watchers.removeValue(forKey: number) }
            }
        }
    }

    func tell(_ failure: @autoclosure () -> VaultFailure) {
        let watchers = state.withLock { Array($0.watchers.values) }
        guard !watchers.isEmpty else { return }
        let failure = failure()
        for watcher in watchers { watcher.yield(failure) }
    }

    func finish() {
        let watchers = state.withLock { state in
            state.isFinished = true
            defer { state.watchers.removeAll() }
            return Array(state.watchers.values)
        }
        for watcher in watchers { watcher.finish() }
    }
}

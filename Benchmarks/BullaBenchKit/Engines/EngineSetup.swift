internal import Bulla
internal import BullaText

/// How the harness opens a store; all contenders have the same resources.
public struct EngineSetup: Codable, Sendable {
    /// An existing folder for this store alone.
    public var folder: String
    /// The key, in hexadecimal digits; nil for a plain store.
    ///
    /// It seals only one run's data, reaches workers through pipes, and is forgotten afterwards.
    public var key: String?
    /// How much of its store an engine may cache, in addition to the system's page cache.
    public var cacheByteLimit: Int
    package var durability: BenchDurability
    /// About how many bytes will be stored, for engines that must know a size in advance.
    public var payloadByteCount: Int
    /// How many threads of all processes together use the store at once.
    public var laneCount: Int
    /// How many processes use the store at once.
    public var workerCount: Int
    /// The page size, for Bulla only; nil: the store chooses.
    package var pageByteCount: Int?
    package var logByteCount: Int?
    package var suite: BenchSuite?
    package var model: ModelBehaviour?

    /// Whether a commit waits for the disk; otherwise it is on the disk within about a second.
    public var isDurable: Bool { durability == .full }

    /// Path of a file of the store.
    public func file(_ name: String) -> String { folder + "/" + name }

    /// The bytes of the key; nil for a plain store.
    public func keyBytes() throws -> [UInt8]? { try RunKey.bytes(key, of: folder) }
}

/// When a commit returns.
package enum BenchDurability: String, Codable, CaseIterable, Sendable {
    /// When the commit is on the disk.
    case full
    /// At once; the commit is on the disk within about a second.
    case relaxed

    var ofStore: Durability {
        switch self {
        case .full: .full
        case .relaxed: .relaxed(within: .seconds(1))
        }
    }
}

package enum BenchSuite: String, Codable, CaseIterable, Sendable {
    case aes256GCM = "aes-256-gcm"
    case aes256CTRHMACSHA256 = "aes-256-ctr-hmac-sha-256"

    var ofStore: CipherSuite {
        switch self {
        case .aes256GCM: .aes256GCM
        case .aes256CTRHMACSHA256: .aes256CTRHMACSHA256
        }
    }
}

/// The key of a run, which seals only this run's data and is forgotten afterwards.
package enum RunKey {
    package static func random() throws -> String {
        try StoreKey.random().withBytes { Hex.string([UInt8]($0)) }
    }

    /// The bytes of the key of the store in `folder`; nil for a plain store, which has no key.
    static func bytes(_ key: String?, of folder: String) throws -> [UInt8]? {
        guard let key else { return nil }
        guard let bytes = Hex.bytes(key.utf8) else {
            throw BenchError(.worker, "open \(folder): the key is not in hexadecimal digits")
        }
        return bytes
    }
}

/// A session's record of what it read, and of when each step ended.
///
/// While a slice (a short piece of work) runs, the times are kept as one word each; afterwards, a
/// histogram is made of them. The sum shows that the values read are those that were written.
///
/// Consecutive reads overlap in the processor, but reading the clock waits for instructions under
/// way. So only one in ``readsPerSample`` reads is timed by itself; the slice is timed as a whole.
public struct Tally: Sendable {
    package static let readsPerSample = 64

    /// The instants at which steps ended; for sampled reads, how long each took.
    private var times: [UInt64]
    private var count = 0
    private var isSampled: Bool { sampleMask > 0 }
    private var (sampleStart, sampledEnd): (UInt64, UInt64) = (0, 0)
    @usableFromInline var readCount = 0
    @usableFromInline var sampleMask = 0
    /// The sum of ``RecordHash/glance(_:)`` over everything that was read.
    @usableFromInline package private(set) var sum: UInt64 = 0
    /// How many records were read.
    @usableFromInline package private(set) var seenCount = 0
    /// How many keys had no record.
    @usableFromInline package private(set) var missedCount = 0
    /// How many bytes the values that were read had in total.
    @usableFromInline package private(set) var valueByteCount = 0

    /// Makes room for the time of the start, and for the ends of `capacity` steps.
    package init(capacity: Int) { times = [UInt64](repeating: 0, count: capacity + 1) }

    /// Notes a value that a read has found.
    @inlinable @inline(__always) public mutating func saw(_ value: RawSpan) {
        sum &+= RecordHash.glance(value)
        seenCount &+= 1
        valueByteCount &+= value.byteCount
    }

    /// Notes a record that a scan has found.
    @inlinable @inline(__always) public mutating func saw(_ key: RawSpan, _ value: RawSpan) {
        sum &+= RecordHash.glance(key)
        saw(value)
    }

    /// Notes a key that has no record.
    @inlinable @inline(__always) public mutating func missed() { missedCount &+= 1 }

    /// Notes the end of a read in a series; if reads are sampled, only some are timed.
    @inlinable @inline(__always) public mutating func didRead() {
        readCount &+= 1
        // Notes the time before and after every 64th read; without sampling, after every read.
        if (readCount &+ 1) & sampleMask <= 1 { noteRead() }
    }

    /// Notes the end of a step.
    public mutating func mark() {
        times[count] = Clock.now
        count += 1
    }

    /// If `isOn`, only some of the following reads are timed; otherwise all of them.
    package mutating func sample(_ isOn: Bool) { sampleMask = isOn ? Self.readsPerSample - 1 : 0 }

    /// Notes the end of the sampled reads.
    package mutating func endReads() { if isSampled { sampledEnd = Clock.now } }

    @usableFromInline mutating func noteRead() {
        guard isSampled else { return mark() }
        if readCount & sampleMask != 0 { return sampleStart = Clock.now }
        times[count] = Clock.now - sampleStart
        count += 1
    }

    package mutating func unmark() { count -= 1 }

    /// Notes the end of a step as if it had taken this long, for an engine that makes up its times.
    package mutating func mark(nanoseconds: UInt64) {
        times[count] = count > 0 ? times[count - 1] + nanoseconds : Clock.now
        count += 1
    }

    package var start: UInt64 { times.first ?? 0 }
    package var end: UInt64 { isSampled ? sampledEnd : count > 0 ? times[count - 1] : 0 }

    package var latencies: some Sequence<UInt64> {
        (1..<max(count, 1)).lazy.map { [times, isSampled] index in
            isSampled ? times[index] : times[index] - times[index - 1]
        }
    }

    /// For each step, the time from the instant at which it was due until it ended.
    ///
    /// - Parameter due: when step `n` was due, by the same clock.
    package func delays(_ due: @escaping (Int) -> UInt64) -> some Sequence<UInt64> {
        times[..<count].dropFirst().enumerated().lazy.map { index, end in
            let instant = due(index)
            return end > instant ? end - instant : 0
        }
    }
}

internal import BullaMemory
internal import BullaText
internal import Glibc

/// Durable commits without a store: the least that commits with a lock and shared flushes can cost.
///
/// A commit takes a lock that all processes share, holds it for a given time, writes 16 KiB to a
/// file, counts itself as published, and releases the lock. Then it waits until a flush covers it.
/// There is no tree, cipher, check or recovery. So a store can hardly be faster if it makes its
/// commits one by one, writes as much, and holds its lock for as long.
///
/// A committer that finds no leader becomes the leader, and flushes for all. As in the store, it
/// first adds up the commits that the last flush covered and those now waiting. It flushes when at
/// least half that many are waiting, when no committer holds or wants the lock, or after 200 us.
///
///     word       written by             meaning
///     lock       the committer          0: free, 1: held, 2: held, and a process may be waiting
///     wanted     the committer          how many committers hold or want the lock
///     published  the lock's owner       commits so far
///     leader     the leader             1: there is a leader
///     durable    the leader             commits that are on the disk
///     served     the leader             how many commits the last flush covered
///     flushes    the leader             flushes so far
final class BareCommits: Committer {
    private enum Word: Int {
        case lock, wanted, published, leader, durable, served, flushes

        /// Each word has a cache line of its own.
        var offset: Int { rawValue * 64 }
    }

    private static let probeInterval: Duration = .milliseconds(10)
    private static let companyInterval: Duration = .microseconds(20)
    private static let companyNanoseconds: UInt64 = 200_000

    private let file: BareFile
    private let words: SharedWords
    private let holdNanoseconds: UInt64

    init(_ folder: String, holdMicroseconds: Int) throws {
        file = try BareFile(opening: folder)
        words = file.words
        holdNanoseconds = UInt64(holdMicroseconds) * 1000
    }

    func warmUp() {}
    func flushCount() throws -> UInt64 { words.loadAcquire(Word.flushes.offset) }

    func commit(_ random: inout Random) throws {
        let place = random.below(BareFile.blockCount)
        words.add(1, Word.wanted.offset)
        lock()
        Clock.spin(until: Clock.now + holdNanoseconds)
        try file.write(block: place)
        let commit = words.add(1, Word.published.offset) + 1
        words.add(UInt64.max, Word.wanted.offset)
        unlock()
        try awaitDurable(commit)
    }

    /// - Source: the second mutex of U. Drepper, "Futexes Are Tricky", 2011.
    private func lock() {
        if words.exchange(0, for: 1, Word.lock.offset) { return }
        while true {
            let isContended =
                words.loadAcquire(Word.lock.offset) == 2
                || words.exchange(1, for: 2, Word.lock.offset)
            if isContended { words.wait(while: 2, Word.lock.offset, atMost: Self.probeInterval) }
            if words.exchange(0, for: 2, Word.lock.offset) { return }
        }
    }

    private func unlock() {
        guard words.add(UInt64.max, Word.lock.offset) != 1 else { return }
        words.storeRelease(0, Word.lock.offset)
        words.wake(Word.lock.offset, count: 1)
    }

    private func awaitDurable(_ commit: UInt64) throws {
        while true {
            let durable = words.loadAcquire(Word.durable.offset)
            guard durable < commit else { return }
            if words.exchange(0, for: 1, Word.leader.offset) {
                defer { giveUpLead() }
                if words.loadAcquire(Word.durable.offset) < commit { try flush() }
            } else {
                words.wait(while: durable, Word.durable.offset, atMost: Self.probeInterval)
            }
        }
    }

    private func giveUpLead() {
        words.storeRelease(0, Word.leader.offset)
        words.wake(Word.durable.offset)
    }

    private func flush() throws {
        let durable = words.loadAcquire(Word.durable.offset)
        awaitCompany(after: durable)
        let published = words.loadAcquire(Word.published.offset)
        try file.flush()
        words.storeRelease(published - durable, Word.served.offset)
        words.storeRelease(published, Word.durable.offset)
        words.add(1, Word.flushes.offset)
    }

    private func awaitCompany(after durable: UInt64) {
        let end = Clock.now + Self.companyNanoseconds
        let waiting = words.loadAcquire(Word.published.offset) - durable
        let share = durable + (waiting + words.loadAcquire(Word.served.offset) + 1) / 2
        while Clock.now < end, words.loadAcquire(Word.wanted.offset) > 0 {
            let published = words.loadAcquire(Word.published.offset)
            guard published < share else { return }
            words.wait(while: published, Word.published.offset, atMost: Self.companyInterval)
        }
    }
}

final class BareFile: Sendable {
    /// The size of a block, which is more than a small commit appends to a log.
    private static let blockByteCount = 16 << 10
    static let blockCount = 4096

    private let file: Descriptor
    private let page: SharedPage
    private let block = [UInt8](repeating: 0x5A, count: blockByteCount)

    var words: SharedWords { page.words }

    /// Makes the files at full length, so that no commit has to extend them.
    static func prepare(_ folder: String) throws {
        let data = try Descriptor.create(folder + "/bare.data")
        let blocks = [UInt8](repeating: 0, count: 1 << 20)
        for _ in 0..<blockCount * blockByteCount / blocks.count { try data.write(blocks) }
        try flush(data)
        let words = try Descriptor.create(folder + "/bare.words")
        try words.write([UInt8](repeating: 0, count: SharedPage.byteCount))
    }

    init(opening folder: String) throws {
        file = try Descriptor.openShared(folder + "/bare.data")
        let path = folder + "/bare.words"
        page = try SharedPage(try Descriptor.openShared(path), path)
    }

    func write(block place: Int) throws {
        // SAFETY: the array is borrowed during the call.
        let count = unsafe block.withUnsafeBytes { bytes in
            unsafe pwrite(
                file.number, bytes.baseAddress, bytes.count, off_t(place * Self.blockByteCount))
        }
        guard count == Self.blockByteCount else { throw BenchError(system: "write bare commits") }
    }

    func flush() throws { try Self.flush(file) }

    private static func flush(_ file: Descriptor) throws {
        guard fdatasync(file.number) == 0 else { throw BenchError(system: "flush bare commits") }
    }
}

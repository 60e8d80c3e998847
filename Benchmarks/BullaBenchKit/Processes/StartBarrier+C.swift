internal import BullaMemory
internal import BullaText
internal import Glibc

/// A barrier for all threads of all workers, in memory that the processes share.
///
/// The last thread to arrive sets an instant a little ahead, and all threads continue at that
/// instant. A barrier serves any number of starts, one after the other.
///
///     word      written by               meaning
///     magic     its maker, last          the other words are valid
///     count     its maker                how many threads a start waits for
///     arrived   each thread              arrivals at all starts so far
///     instant   the last thread          when the start begins, on the monotonic clock
///     state     the last thread, abort   how many starts have begun; bit 31: aborted
///
/// If a worker dies before it arrives, the other threads are left waiting, until the process that
/// notices the death calls ``abort()``; then they throw an error.
package final class StartBarrier: Sendable {
    private enum Word: Int {
        case magic, count, arrived, instant, state
        var offset: Int { rawValue * 8 }
    }

    package static let countLimit = 1 << 20

    private static let magic: UInt64 = 0x6E69_6167_6562_6C62
    private static let aborted: UInt64 = 1 << 31
    /// How far ahead the instant is set, so that the threads that wait have time to wake up.
    private static let leadNanoseconds: UInt64 = 1_000_000
    /// How much is added to this lead for each thread that waits.
    private static let threadLeadNanoseconds: UInt64 = 20_000
    /// How long before the instant a thread stops sleeping and spins: timers are about this late.
    private static let spinNanoseconds: UInt64 = 100_000
    /// The longest sleep: only a precaution, as opening or aborting the barrier wakes all threads.
    private static let sleepLimit: Duration = .seconds(1)

    private let page: SharedPage
    private let words: SharedWords
    private let count: UInt64

    package init(creating path: String, count: Int) throws {
        precondition((1...Self.countLimit).contains(count), "a start waits for threads")
        let file = try Descriptor.create(path)
        // Allocates space now: on a full disk, touching a page without it would kill the process.
        let code = posix_fallocate(file.number, 0, off_t(SharedPage.byteCount))
        guard code == 0 else {
            throw BenchError(system: "make the start barrier \(path)", code: code)
        }
        page = try SharedPage(file, path)
        words = page.words
        self.count = UInt64(count)
        words.storeRelaxed(UInt64(count), Word.count.offset)
        words.storeRelease(Self.magic, Word.magic.offset)
    }

    package init(opening path: String) throws {
        let file = try Descriptor.openShared(path)
        guard try file.byteCount() == SharedPage.byteCount else { throw Self.strange(path) }
        page = try SharedPage(file, path)
        words = page.words
        let isOurs = words.loadAcquire(Word.magic.offset) == Self.magic
        count = words.loadRelaxed(Word.count.offset)
        guard isOurs, (1...UInt64(Self.countLimit)).contains(count) else {
            throw Self.strange(path)
        }
    }

    /// Waits until all threads have arrived, and then until the instant at which they start.
    ///
    /// - Returns: that instant, the same for all.
    /// - Throws: ``BenchExit/worker`` if the barrier was aborted.
    package func arrive() throws -> UInt64 {
        let ticket = words.add(1, Word.arrived.offset)
        let start = ticket / count
        if ticket % count == count - 1 { open() }
        try wait(for: start)
        // No later start can have changed the instant, because it would wait for this thread, too.
        let instant = words.loadAcquire(Word.instant.offset)
        Self.wait(until: instant)
        return instant
    }

    /// Aborts for good: ``arrive()`` throws in all threads that are waiting, or arrive from now on.
    package func abort() {
        while true {
            let state = words.loadAcquire(Word.state.offset)
            if words.exchange(state, for: state | Self.aborted, Word.state.offset) { break }
        }
        words.wake(Word.state.offset)
    }

    private func open() {
        // If there is only one thread, it is awake already.
        let lead = count == 1 ? 0 : Self.leadNanoseconds + Self.threadLeadNanoseconds * (count - 1)
        words.storeRelaxed(Clock.now + lead, Word.instant.offset)
        // Adds 1, because storing the sum could erase the bit that an abort has just set.
        words.add(1, Word.state.offset)
        words.wake(Word.state.offset)
    }

    private func wait(for start: UInt64) throws {
        while true {
            let state = words.loadAcquire(Word.state.offset)
            guard state & Self.aborted == 0 else {
                throw BenchError(.worker, "start: given up, because not all threads arrived")
            }
            if state > start { return }
            words.wait(while: state, Word.state.offset, atMost: Self.sleepLimit)
        }
    }

    private static func wait(until instant: UInt64) {
        Clock.sleep(until: instant - spinNanoseconds)
        while Clock.now < instant {}
    }

    private static func strange(_ path: String) -> BenchError {
        BenchError(.worker, "open the start barrier \(path): it is not one")
    }
}

/// A page of words, shared by all processes that open its file; a class, because the initializer of
/// ``StartBarrier`` could not read a noncopyable mapping.
final class SharedPage: Sendable {
    static let byteCount = 4096

    private let file: FileMapping
    let words: SharedWords

    init(_ descriptor: Descriptor, _ path: String) throws {
        do {
            file = try FileMapping(
                descriptor: descriptor.number, offset: 0, byteCount: Self.byteCount,
                isWritable: true)
        } catch {
            throw BenchError(.system, "map \(path): \(error)")
        }
        words = SharedWords(file.bytes)
    }
}

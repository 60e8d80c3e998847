package import Bulla
internal import BullaMemory
internal import Synchronization

/// A disk and its kernel, in memory: names, files, locks, and a history of all writes and flushes.
///
/// ``DiskReplay`` derives from the history what a crash at any moment leaves. The history lacks
/// writes through a mapping: the engine writes that way only to the coordination file, which no
/// crash outlives.
package final class SimulatedDisk: Sendable {
    /// The disk at the beginning.
    package let base: DiskImage
    private let state: Mutex<State>
    /// The number of the next file to be opened, on any disk.
    private static let opened = Atomic(1)

    private struct State {
        var files: [Int: CachedFile] = [:]
        var names: [String: Int] = [:]
        var locks = LockTable()
        var history: [DiskEvent]
        var faults = FaultList()
        var errors = WriteBackErrors()
        var flushHook: (isForFailure: Bool, run: @Sendable () -> Void)?
        var lockHook: (bytes: Range<UInt64>, run: @Sendable () -> Void)?
        var isOff = false
        var nextFile: Int
    }

    package init(_ base: DiskImage = DiskImage()) throws(BullaError) {
        self.base = base
        var names = base.names
        for event in base.cached { DiskReplay.applyName(event, to: &names) }
        var files: [Int: CachedFile] = [:]
        for number in Set(names.values) {
            files[number] = try Self.cache(number, base)
        }
        let last = max(base.files.keys.max() ?? 0, names.values.max() ?? 0)
        state = Mutex(
            State(files: files, names: names, history: base.cached, nextFile: last + 1))
    }

    /// Makes a file with everything that the page cache has of it.
    private static func cache(_ number: Int, _ image: DiskImage) throws(BullaError) -> CachedFile {
        let file = try CachedFile(number: number)
        let durable = image.files[number] ?? DurableFile()
        if !durable.bytes.isEmpty { try file.write(durable.bytes, at: 0) }
        for piece in durable.doubtful { try file.write(Array(piece.bytes), at: piece.offset) }
        for event in image.cached {
            switch event {
            case .write(number, let offset, let bytes): try file.write(bytes, at: offset)
            case .extend(number, let byteCount):
                if try file.byteCount() < byteCount { try file.setByteCount(byteCount) }
            case .cut(number, let byteCount):
                if try file.byteCount() > byteCount { try file.setByteCount(byteCount) }
            default: break
            }
        }
        return file
    }

    /// All events, in order; the first ones are those that only the page cache of `base` had.
    package var history: [DiskEvent] { state.withLock { $0.history } }
    package var eventCount: Int { state.withLock { $0.history.count } }

    /// Switches the machine off: every call fails from now on.
    package func switchOff() { state.withLock { $0.isOff = true } }

    package func add(_ fault: DiskFault) { state.withLock { $0.faults.add(fault) } }
    package func clearFaults() {
        state.withLock { state in
            state.faults.clear()
            (state.flushHook, state.lockHook) = (nil, nil)
        }
    }
    package var struckFaultCount: Int { state.withLock { $0.faults.struckCount } }

    var boot: UInt64 { base.boot }

    package func isThere(_ name: String) -> Bool { state.withLock { $0.names[name] != nil } }

    // MARK: Calls

    /// Begins a call; returns its fault, unless that is an error, which is thrown.
    func begin(
        _ call: DiskCall, _ name: String, offset: UInt64 = 0
    ) throws(BullaError) -> DiskFault.Effect? {
        let (isOff, effect) = state.withLock {
            ($0.isOff, $0.faults.strike(call, name, offset: offset))
        }
        if isOff { throw BullaError.system("\(call.rawValue) \(name): the disk is off", 5) }
        // A flush writes before it fails.
        guard case .error(let number) = effect, call != .flush, call != .flushRange else {
            return effect
        }
        throw BullaError.system("\(call.rawValue) \(name)", number)
    }

    /// Opens the same file again.
    func openAgain(_ file: CachedFile) -> Int {
        let open = Self.opened.add(1, ordering: .relaxed).oldValue
        state.withLock { $0.errors.open(file.number, by: open) }
        return open
    }

    func open(_ name: String, _ mode: OpenMode) throws(BullaError) -> (CachedFile, Int) {
        let open = Self.opened.add(1, ordering: .relaxed).oldValue
        return try state.withLock { state throws(BullaError) in
            if case .creating = mode {
                guard state.names[name] == nil else {
                    throw BullaError.system("create \(name)", 17)
                }
                let file = try CachedFile(number: state.nextFile)
                state.nextFile += 1
                state.files[file.number] = file
                state.names[name] = file.number
                state.history.append(.create(file: file.number, name: name))
                state.errors.open(file.number, by: open)
                return (file, open)
            }
            guard let number = state.names[name], let file = state.files[number] else {
                throw BullaError.system("open \(name)", 2)
            }
            state.errors.open(number, by: open)
            return (file, open)
        }
    }

    /// Does something for a process if the process is still alive: after it has died and its locks
    /// are released, nothing that it began may still happen.
    private func perform<R>(
        for process: SimulatedProcess, _ body: (inout State) throws(BullaError) -> R
    ) throws(BullaError) -> R {
        let result = try state.withLock { state throws(BullaError) -> R? in
            process.isDead ? nil : try body(&state)
        }
        guard let result else { throw process.dead() }
        return result
    }

    func write(
        _ file: CachedFile, _ bytes: [UInt8], at offset: UInt64, by process: SimulatedProcess
    ) throws(BullaError) {
        try perform(for: process) { state throws(BullaError) in
            let end = offset + UInt64(bytes.count)
            if try file.byteCount() < end {
                state.history.append(.extend(file: file.number, byteCount: end))
            }
            try file.write(bytes, at: offset)
            state.history.append(.write(file: file.number, offset: offset, bytes: bytes))
        }
    }

    func extend(
        _ file: CachedFile, to byteCount: UInt64, by process: SimulatedProcess
    ) throws(BullaError) {
        try perform(for: process) { state throws(BullaError) in
            guard try file.byteCount() < byteCount else { return }
            try file.setByteCount(byteCount)
            state.history.append(.extend(file: file.number, byteCount: byteCount))
        }
    }

    func cut(
        _ file: CachedFile, to byteCount: UInt64, by process: SimulatedProcess
    ) throws(BullaError) {
        try perform(for: process) { state throws(BullaError) in
            guard try file.byteCount() > byteCount else { return }
            try file.setByteCount(byteCount)
            state.history.append(.cut(file: file.number, byteCount: byteCount))
        }
    }

    /// Writes dirty data of the file or of a range, unless this open file must be told of an error
    /// first.
    func flush(
        _ file: CachedFile, _ range: Range<UInt64>? = nil, by open: Int,
        of process: SimulatedProcess
    ) throws(BullaError) {
        let number = file.number
        let (refusal, hook) = try perform(for: process) {
            state throws(BullaError) -> (Int32?, (@Sendable () -> Void)?) in
            let refusal = state.errors.tell(number, open)
            if refusal == nil {
                let event = range.map { DiskEvent.flushRange(file: number, $0) }
                state.history.append(event ?? .flush(file: number))
            }
            guard let hook = state.flushHook, hook.isForFailure == (refusal != nil) else {
                return (refusal, nil)
            }
            state.flushHook = nil
            return (refusal, hook.run)
        }
        // The kernel is done, but the caller does not know yet.
        hook?()
        guard let refusal else { return }
        throw BullaError.system("flush a simulated file", refusal)
    }

    /// Makes the write-back of a file's or a range's dirty data fail: the data counts as clean, but
    /// the disk may not have it.
    func failWriteBack(_ file: Int, _ range: Range<UInt64>?, _ number: Int32) {
        state.withLock { state in
            let event = range.map { DiskEvent.failedFlushRange(file: file, $0) }
            state.history.append(event ?? .failedFlush(file: file))
            state.errors.fail(file, number)
        }
    }

    /// Makes the kernel's own write-back of a file fail: no process learns of that until one
    /// flushes.
    package func failWriteBack(of name: String) {
        guard let file = state.withLock({ $0.names[name] }) else { return }
        failWriteBack(file, nil, 5)
    }

    /// Overwrites a file through a mapping, as an outsider could; the new bytes may never reach the
    /// disk.
    package func overwrite(
        _ name: String, with bytes: [UInt8], at offset: UInt64
    ) throws(BullaError) {
        let file = state.withLock { state in state.names[name].flatMap { state.files[$0] } }
        try file?.write(bytes, at: offset)
    }

    /// Runs `hook` once, after the kernel has reported an error to a flush and before the caller
    /// knows.
    package func whenFlushFails(_ hook: @escaping @Sendable () -> Void) {
        state.withLock { $0.flushHook = (true, hook) }
    }

    /// Runs `hook` once, after a flush is done and before its caller knows.
    package func whenFlushSucceeds(_ hook: @escaping @Sendable () -> Void) {
        state.withLock { $0.flushHook = (false, hook) }
    }

    func identity(_ name: String) -> FileIdentity? {
        state.withLock { $0.names[name] }.map { FileIdentity(device: 1, inode: UInt64($0)) }
    }

    /// Changes a folder.
    func change(_ event: DiskEvent, by process: SimulatedProcess) throws(BullaError) {
        try perform(for: process) { state throws(BullaError) in
            DiskReplay.applyName(event, to: &state.names)
            state.history.append(event)
        }
    }

    /// Runs `hook` once, before a process takes or releases a lock on any of these bytes.
    package func whenLocked(_ bytes: Range<UInt64>, _ hook: @escaping @Sendable () -> Void) {
        state.withLock { $0.lockHook = (bytes, hook) }
    }

    func lock(_ file: CachedFile, _ byte: UInt64, _ kind: LockKind, by open: Int) -> Bool {
        let hook = state.withLock { state -> (@Sendable () -> Void)? in
            guard state.lockHook?.bytes.contains(byte) == true else { return nil }
            return state.lockHook.take()?.run
        }
        hook?()
        return state.withLock { $0.locks.lock(file.number, byte, kind, by: open) }
    }

    func isLocked(
        _ file: CachedFile, _ bytes: Range<UInt64>, _ kind: LockKind, for open: Int
    ) -> Bool {
        state.withLock { $0.locks.isExcluded(file.number, bytes, kind, for: open) }
    }

    func releaseLocks(of open: Int) { state.withLock { $0.locks.releaseAll(of: open) } }
}

internal import BullaMemory

/// Keys that a log is to say are gone: copies, which are as secret as values.
struct KeyList: ~Copyable {
    private(set) var views: [ByteView] = []
    /// Whether there were more keys than it may hold.
    private(set) var isCut = false
    private var arena = ByteArena()
    private var byteCount: UInt64 = 0
    private let byteLimit: UInt64

    /// - Parameter byteLimit: of the operations that delete them.
    init(byteLimit: UInt64) { self.byteLimit = byteLimit }

    deinit { arena.wipe() }

    /// Keeps a copy of one more; `false`, and none, where there is no room.
    mutating func keep(_ key: ByteView) throws(BullaError) -> Bool {
        let end = byteCount + UInt64(LogOperation.headByteLimit + key.byteCount)
        guard end <= byteLimit else {
            isCut = true
            return false
        }
        do throws(MemoryError) { views.append(try arena.keep(key)) } catch {
            throw BullaError.memory("keep a key", error)
        }
        byteCount = end
        return true
    }
}

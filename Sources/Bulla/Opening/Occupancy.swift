/// Why a store cannot be joined now, according to the locks of other processes.
struct Occupancy {
    private let file: any StorageFile

    init(_ path: String, _ storage: any StorageSystem) throws(BullaError) {
        file = try storage.open(path, .reading)
    }

    /// Says what other processes are doing with the store, and what the caller can do about it.
    func reason() throws(BullaError) -> String {
        if try file.isLocked(LockByte.recovering, against: .shared) {
            return "a process is opening it, and recovers what a crash has left: wait; the more "
                + "the log holds, the longer that takes"
        }
        if try file.isLocked(LockByte.alone, against: .shared) {
            return "a process uses it alone, because the disk had no room for a coordination file: "
                + "wait until it is done, or free some disk space and let it open the store again"
        }
        // The first opener and the last closer hold `presence` exclusively for a short time.
        if try file.isLocked(LockByte.presence, against: .shared) { return Self.passing }
        if try file.isLocked(LockByte.worlds, against: .exclusive) {
            return "it is in use, but not with the coordination file beside it: it was "
                + "opened under another name (a hard link), or that file was deleted or replaced"
        }
        if try file.isLocked(LockByte.checking, against: .exclusive) {
            return "somebody checks or salvages it: wait until that is done"
        }
        if try file.isLocked(LockByte.lookingToo, against: .exclusive) {
            return "processes have it open for reading without a coordination file: wait until "
                + "they are done"
        }
        if try file.isLocked(LockByte.looking, against: .exclusive) {
            return "a process has it open for reading without a coordination file, which it could "
                + "not make (no permission to write, or a full disk): wait until it is done"
        }
        return Self.passing
    }

    private static let passing = "somebody is just opening or closing it"
}

internal import BullaCipher
internal import BullaMemory

/// The coordination file of the processes that have a store open.
///
/// A process that is alone with the store makes a new file; after all have left, nobody needs it.
/// The file holds no key and no plaintext. Records in it are sealed and verified. Plain words are
/// only hints: by changing them, a stranger can delay or prevent work, but never forge data.
final class World: Sendable {
    let path: String
    let identifier: Identifier
    let words: SharedWords
    let file: any StorageFile
    private let memory: any WorldMemory

    static func path(of store: String) -> String { store + ".bulla-world" }

    /// What binds the board's records to this world, this boot of the machine, the data file and
    /// this coordination file.
    let binding: [UInt8]

    /// The byte that all users of this file hold a lock on.
    var lockByte: UInt64 { LockByte.world(identifier, in: file.identity) }

    private init(
        _ file: any StorageFile, path: String, identifier: Identifier, binding: [UInt8]
    ) throws(BullaError) {
        self.path = path
        self.file = file
        self.identifier = identifier
        self.binding = binding + file.identity.bytes
        memory = MappedWorld(
            try file.map(at: 0, byteCount: WorldLayout.byteLimit, isWritable: true))
        words = SharedWords(memory.bytes)
    }

    /// A world of this process alone, without a file.
    private init(
        own memory: any WorldMemory, path: String, identifier: Identifier, _ binding: [UInt8]
    ) {
        self.path = path
        self.identifier = identifier
        self.binding = binding
        self.memory = memory
        file = NoWorldFile(path: path)
        words = SharedWords(memory.bytes)
    }

    var hasFaulted: Bool { memory.hasFaulted }
    var bytes: MutableByteView { memory.bytes }
    /// Whether the world has a file, through which other processes can join it.
    var isShared: Bool { !(file is NoWorldFile) }

    /// Whether the world's path still names the world's file; always true without a file.
    func isInPlace(_ storage: any StorageSystem) throws(BullaError) -> Bool {
        guard isShared else { return true }
        return try storage.identity(of: path) == file.identity
    }

    /// Removes the world's file, if the world has one.
    func remove(_ storage: any StorageSystem) throws(BullaError) {
        if isShared { try storage.remove(path) }
    }

    /// Makes a new file and renames it into place, so the former file, which somebody may have
    /// mapped, stays as it is.
    static func make(
        _ store: StoreParts, _ identifier: Identifier
    ) throws(BullaError) -> World {
        let temporary = path(of: store.path) + ".new"
        try store.storage.remove(temporary)
        do throws(BullaError) { return try make(store, identifier, temporary) } catch {
            try? store.storage.remove(temporary)
            throw error.naming(path(of: store.path), insteadOf: temporary)
        }
    }

    private static func make(
        _ store: StoreParts, _ identifier: Identifier, _ temporary: String
    ) throws(BullaError) -> World {
        let path = path(of: store.path)
        let file = try store.storage.open(temporary, .creating)
        try file.allocate(
            at: 0, byteCount: UInt64(WorldLayout.byteCount(slotCount: ReaderSlotLayout.step)))
        let header = Header(store, identifier)
        let world = try World(
            file, path: path, identifier: identifier, binding: header.binding)
        header.write(world.bytes)
        world.words.storeRelease(UInt64(ReaderSlotLayout.step), WorldLayout.slotCount)
        try store.storage.rename(temporary, to: path)
        return world
    }

    /// Makes a world in the memory of this process, for when there can be no file.
    static func makeOwn(
        _ store: StoreParts, _ identifier: Identifier
    ) throws(BullaError) -> World {
        let header = Header(store, identifier)
        let memory = try OwnWorld(byteCount: WorldLayout.byteLimit)
        let world = World(
            own: memory, path: path(of: store.path), identifier: identifier, header.binding)
        header.write(world.bytes)
        world.words.storeRelease(UInt64(ReaderSlotLayout.step), WorldLayout.slotCount)
        return world
    }

    /// Maps the existing coordination file, if it belongs to this store and this boot of the
    /// machine.
    ///
    /// - Returns: `nil` if there is no such file, or if another version of the library made the
    ///   file and no process uses it.
    static func find(_ store: StoreParts) throws(BullaError) -> World? {
        let path = path(of: store.path)
        guard try store.storage.identity(of: path) != nil else { return nil }
        let file = try store.storage.open(path, .writing)
        let least = UInt64(WorldLayout.byteCount(slotCount: ReaderSlotLayout.step))
        guard try file.byteCount() >= least else { return nil }
        let head = try Buffer.make(WorldLayout.slots)
        try file.read(head.bytes.slice(0, WorldLayout.slots), at: 0)
        let bytes = head.bytes.view
        guard bytes.load(UInt64.self, at: WorldLayout.magicOffset) == WorldLayout.magic else {
            return nil
        }
        let version = bytes.load(UInt64.self, at: WorldLayout.versionOffset)
        guard version == WorldLayout.version else {
            // Another version of the library made the file. If no process uses the file, ignore it.
            guard try store.file.isLocked(LockByte.worlds, against: .exclusive) else { return nil }
            throw BullaError(
                .unsupportedFormat,
                "open \(path): its layout version is \(version), "
                    + "but this library uses \(WorldLayout.version)"
            )
        }
        let identifier = Identifier(bytes, at: WorldLayout.world)
        let header = Header(store, identifier)
        guard header.matches(bytes) else { return nil }
        return try World(file, path: path, identifier: identifier, binding: header.binding)
    }

    /// The part of the file that only its maker writes, once.
    private struct Header {
        let file: FileIdentifier
        let world: Identifier
        let boot: Identifier
        let identity: FileIdentity

        init(_ store: StoreParts, _ world: Identifier) {
            self.world = world
            file = store.header.fileIdentifier
            boot = store.storage.bootIdentifier()
            identity = store.file.identity
        }

        var binding: [UInt8] {
            let words = [world.high, world.low, boot.high, boot.low]
            return words.flatMap { $0.littleEndianBytes } + identity.bytes
        }

        func write(_ bytes: MutableByteView) {
            bytes.store(WorldLayout.magic, at: WorldLayout.magicOffset)
            bytes.store(WorldLayout.version, at: WorldLayout.versionOffset)
            file.store(in: bytes, at: WorldLayout.fileIdentifier)
            binding.withView { bytes.copy($0, to: WorldLayout.world) }
        }

        func matches(_ bytes: ByteView) -> Bool {
            file
                == FileIdentifier(
                    bytes.slice(WorldLayout.fileIdentifier, FileIdentifier.byteCount))
                && binding.withView {
                    $0.compare(bytes.slice(WorldLayout.world, $0.byteCount)) == 0
                }
        }
    }
}

extension FileIdentity {
    fileprivate var bytes: [UInt8] { device.littleEndianBytes + inode.littleEndianBytes }
}

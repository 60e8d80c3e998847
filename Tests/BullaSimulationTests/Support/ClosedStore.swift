import Bulla
import BullaMemory
import BullaSimulation

/// The disk of a cleanly closed store, and the store's content.
struct ClosedStore {
    let configuration: Configuration
    let image: DiskImage
    let version: Version

    /// Makes a store and does some work in it.
    init(_ configuration: Configuration, seed: UInt64) throws {
        var session = Session(configuration, try SimulatedDisk(), seed: seed)
        defer { session.end() }
        try session.open()
        for _ in 0..<6 { try session.transaction(0, .full) }
        try self.init(closing: &session)
    }

    private init(closing session: inout Session) throws {
        try session.closeAll()
        var replay = DiskReplay(from: session.disk.base)
        for event in session.disk.history { replay.apply(event) }
        configuration = session.configuration
        image = replay.crashed(.nothing)
        version = session.current
    }

    /// A copy with one more commit, of at least this many pages.
    func continued(seed: UInt64, pageCount: Int = 8) throws -> ClosedStore {
        var session = try session(on: image, seed: seed)
        defer { session.end() }
        try session.open()
        try session.putLarge(pageCount: pageCount, .full)
        return try ClosedStore(closing: &session)
    }

    private func session(on image: DiskImage, seed: UInt64) throws -> Session {
        Session(
            configuration, try SimulatedDisk(image),
            Timeline.Allowed(isMissingAllowed: false, versions: [version]), seed: seed)
    }

    /// Demands that the store on a disk has the content of this one.
    func expectSame(_ image: DiskImage) throws {
        var session = try session(on: image, seed: 1)
        defer { session.end() }
        try session.open()
        try session.reopen()
    }

    /// Opens the store on a disk, and returns its description.
    func opened(_ image: DiskImage) throws -> StoreInfo {
        let disk = try SimulatedDisk(image)
        defer { disk.switchOff() }
        return try configuration.open(SimulatedProcess(disk)).info
    }

    /// Reads the store on a disk with one wrong page; returns how many reads were refused.
    func readAll(_ image: DiskImage) throws -> Int {
        var session = try session(on: image, seed: 1)
        defer { session.end() }
        session.current = version
        do {
            try session.openAgain()
            return try session.readAll()
        } catch let error as BullaError {
            try session.expectDamage(error)
            return 1
        }
    }

    /// The record in a meta slot.
    func record(slot: Int) -> CommitRecord {
        let start = Int(MetaPage.offset(slot: slot))
        let bytes = Array(image.store[start..<start + MetaField.byteCount])
        return bytes.withBytes { span in
            span.withView { CommitRecord($0, at: MetaField.record.offset) }
        }
    }
}

extension DiskImage {
    /// The bytes of the store's file.
    var store: [UInt8] { bytes(of: Configuration.path) ?? [] }

    /// Changes the bytes of the store's file.
    mutating func change(_ body: (inout [UInt8]) -> Void) {
        guard let number = names[Configuration.path] else { return }
        body(&files[number, default: DurableFile()].bytes)
    }
}

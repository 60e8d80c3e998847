internal import BullaText
internal import Glibc

/// The layout of a file of records, which the harness writes for its workers to map.
///
///     offset            bytes          field
///          0                8          count of records, n
///          8      8 * (2n + 1)         where key 0, value 0, ... begin, and the last value ends
///        ...               ...         key 0, value 0, key 1, ...
///
/// Words are little-endian. The records are in random order, whatever their keys, so a bulk load in
/// random order reads the file from its beginning to its end.
package enum RecordFile {
    /// Writes to a new file the records of `table` whose keys `isWanted` accepts.
    package static func write(
        _ table: RecordTable, to path: String, seed: UInt64,
        where isWanted: ([UInt8]) -> Bool = { _ in true }
    ) throws {
        let wanted = table.places.filter { place in isWanted(table.withKey(place) { [UInt8]($0) }) }
        let places = shuffled(wanted, seed: seed)
        let file = try Descriptor.create(path)
        try file.write(header(table, places))
        var piece: [UInt8] = []
        for place in places {
            table.withKey(place) { piece.append($0) }
            table.withValue(place) { piece.append($0) }
            guard piece.count >= 1 << 20 else { continue }
            try file.write(piece)
            piece.removeAll(keepingCapacity: true)
        }
        try file.write(piece)
    }

    private static func shuffled(_ places: [Int], seed: UInt64) -> [Int] {
        var random = Random(seed, 0x0D0E)
        return random.permutation(places.count).map { places[$0] }
    }

    private static func header(_ table: RecordTable, _ places: [Int]) -> [UInt8] {
        var place = 8 * (2 * places.count + 2)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(place)
        append(places.count, to: &bytes)
        for index in places {
            append(place, to: &bytes)
            place += table.withKey(index) { $0.byteCount }
            append(place, to: &bytes)
            place += table.withValue(index) { $0.byteCount }
        }
        append(place, to: &bytes)
        return bytes
    }

    private static func append(_ number: Int, to bytes: inout [UInt8]) {
        for shift in stride(from: 0, to: 64, by: 8) {
            bytes.append(UInt8(truncatingIfNeeded: number >> shift))
        }
    }
}

/// The records of a ``RecordFile``, mapped: all workers of the machine share the memory.
@safe public final class MappedRecords: @unchecked Sendable {
    @usableFromInline let base: UnsafeRawPointer
    private let byteCount: Int
    /// How many records there are.
    public let count: Int

    package init(path: String) throws {
        let file = try Descriptor.open(path)
        byteCount = try file.byteCount()
        guard byteCount >= 16 else { throw BenchError(.input, "map \(path): it is empty") }
        // SAFETY: a new read-only mapping of a file that does not change; unmapped in deinit.
        let mapped = unsafe mmap(
            nil, byteCount, PROT_READ, MAP_SHARED | Int32(MAP_POPULATE), file.number, 0)
        guard let mapped = unsafe mapped, unsafe mapped != MAP_FAILED else {
            throw BenchError(system: "map \(path)")
        }
        unsafe base = UnsafeRawPointer(mapped)
        count = unsafe Int(base.load(as: UInt64.self))
        try checkLayout(path)
    }

    deinit {
        // SAFETY: mapped in init, and no span outlives the closure to which it was lent.
        unsafe munmap(UnsafeMutableRawPointer(mutating: base), byteCount)
    }

    /// Lends the key of record `index`.
    @inlinable @inline(__always)
    public func withKey<R>(_ index: Int, _ body: (RawSpan) throws -> R) rethrows -> R {
        try withPart(2 * index, body)
    }

    /// Lends the value of record `index`.
    @inlinable @inline(__always)
    public func withValue<R>(_ index: Int, _ body: (RawSpan) throws -> R) rethrows -> R {
        try withPart(2 * index + 1, body)
    }

    package func digest() -> Digest {
        var digest = Digest()
        for index in 0..<count {
            digest.add(withKey(index) { key in withValue(index) { RecordHash.hash(key, $0) } })
        }
        return digest
    }

    package var payloadByteCount: Int { byteCount - 8 * (2 * count + 2) }

    @inlinable @inline(__always)
    func withPart<R>(_ part: Int, _ body: (RawSpan) throws -> R) rethrows -> R {
        precondition(part >= 0 && part < 2 * count, "a record is one of the file's")
        // SAFETY: `checkLayout` has checked that the part lies inside the mapping.
        let buffer = unsafe UnsafeRawBufferPointer(
            start: base + start(part), count: start(part + 1) - start(part))
        return try body(unsafe RawSpan(_unsafeBytes: buffer))
    }

    @inlinable @inline(__always) func start(_ part: Int) -> Int {
        // SAFETY: part 0 ... 2n lies in the table, which `checkLayout` found inside the mapping.
        unsafe Int(base.load(fromByteOffset: 8 + 8 * part, as: UInt64.self))
    }

    private func checkLayout(_ path: String) throws {
        let isWhole =
            count >= 0 && count < byteCount / 16
            && start(0) == 8 * (2 * count + 2) && start(2 * count) == byteCount
            && (0..<2 * count).allSatisfy { start($0) <= start($0 + 1) }
        guard isWhole else { throw BenchError(.input, "map \(path): it is not a file of records") }
    }
}

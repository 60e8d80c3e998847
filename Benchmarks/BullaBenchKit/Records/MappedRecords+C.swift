internal import Glibc

/// The records of a ``RecordFile``, mapped: every worker of the machine reads the same memory.
@safe public final class MappedRecords: @unchecked Sendable {
    private let base: UnsafeRawPointer
    private let byteCount: Int
    /// How many records there are.
    public let count: Int

    /// Maps the file and checks its layout.
    package init(path: String) throws {
        let file = try Descriptor.open(path)
        byteCount = try file.byteCount()
        guard byteCount >= 16 else { throw BenchError(.input, "map \(path): it is empty") }
        // SAFETY: a new mapping, read-only, of a file that nobody changes; unmapped in deinit.
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
        // SAFETY: mapped in init, and nobody holds a span beyond a closure.
        unsafe munmap(UnsafeMutableRawPointer(mutating: base), byteCount)
    }

    /// Lends the key of record `index`.
    @inline(__always)
    public func withKey<R>(_ index: Int, _ body: (RawSpan) throws -> R) rethrows -> R {
        try withPart(2 * index, body)
    }

    /// Lends the value of record `index`.
    @inline(__always)
    public func withValue<R>(_ index: Int, _ body: (RawSpan) throws -> R) rethrows -> R {
        try withPart(2 * index + 1, body)
    }

    /// What all the records add up to.
    package func digest() -> Digest {
        var digest = Digest()
        for index in 0..<count {
            digest.add(withKey(index) { key in withValue(index) { RecordHash.hash(key, $0) } })
        }
        return digest
    }

    /// The bytes of all keys and values.
    package var payloadByteCount: Int { byteCount - 8 * (2 * count + 2) }

    @inline(__always)
    private func withPart<R>(_ part: Int, _ body: (RawSpan) throws -> R) rethrows -> R {
        precondition(part >= 0 && part < 2 * count, "a record is one of the file's")
        // SAFETY: the part lies inside the mapping, as `checkLayout` saw.
        let buffer = unsafe UnsafeRawBufferPointer(
            start: base + start(part), count: start(part + 1) - start(part))
        return try body(unsafe RawSpan(_unsafeBytes: buffer))
    }

    @inline(__always)
    private func start(_ part: Int) -> Int {
        // SAFETY: part 0 ... 2n lies in the table, which `checkLayout` saw to lie in the mapping.
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

/// A disk after a crash: what it holds durably, and what the kernel's page cache holds in addition.
package struct DiskImage: Sendable {
    package var files: [Int: DurableFile] = [:]
    package var names: [String: Int] = [:]
    /// Later events, which only the page cache has; empty after a power failure.
    package var cached: [DiskEvent] = []
    /// The number of this start of the machine.
    package var boot: UInt64 = 1

    package init() {}

    /// The bytes of the file with this name.
    package func bytes(of name: String) -> [UInt8]? { names[name].flatMap { files[$0]?.bytes } }
}

/// A file as the disk holds it.
package struct DurableFile: Sendable {
    package var bytes: [UInt8] = []
    /// Pieces of writes that a failed flush covered: the page cache has them, and the disk may have
    /// them.
    package var doubtful: [Piece] = []

    package init() {}

    /// A part of a write; the disk writes each part atomically.
    package struct Piece: Sendable {
        package let offset: UInt64
        package let bytes: ArraySlice<UInt8>
        package var end: UInt64 { offset + UInt64(bytes.count) }
    }

    /// Writes bytes durably, so that no older ones can come back in their place.
    mutating func settle(_ offset: UInt64, _ bytes: [UInt8]) {
        put(offset, bytes[...])
        let end = offset + UInt64(bytes.count)
        if !doubtful.isEmpty { doubtful.removeAll { $0.end > offset && $0.offset < end } }
    }

    /// Writes those of the bytes that lie before the end of the file.
    mutating func put(_ offset: UInt64, _ new: ArraySlice<UInt8>) {
        bytes.overwrite(at: Int(offset), with: new)
    }

    mutating func extend(to byteCount: UInt64) {
        guard Int(byteCount) > bytes.count else { return }
        bytes += [UInt8](repeating: 0, count: Int(byteCount) - bytes.count)
    }

    mutating func cut(to byteCount: UInt64) {
        bytes.removeLast(max(bytes.count - Int(byteCount), 0))
    }

    /// Splits a write at multiples of `unit` bytes.
    static func pieces(_ offset: UInt64, _ bytes: [UInt8], unit: UInt64) -> [Piece] {
        var pieces: [Piece] = []
        var start = 0
        while start < bytes.count {
            let left = unit - (offset + UInt64(start)) % unit
            let end = min(bytes.count, start + Int(left))
            pieces.append(Piece(offset: offset + UInt64(start), bytes: bytes[start..<end]))
            start = end
        }
        return pieces
    }
}

/// The bytes of one input, taken from the front.
struct FuzzInput {
    private var bytes: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { self.bytes = bytes[...] }

    var isEmpty: Bool { bytes.isEmpty }
    var rest: [UInt8] { Array(bytes) }

    /// The next byte; 0 when there is none.
    mutating func byte() -> UInt8 { bytes.popFirst() ?? 0 }

    mutating func word() -> Int { Int(byte()) | Int(byte()) << 8 }

    mutating func take(_ count: Int) -> [UInt8] {
        defer { bytes = bytes.dropFirst(count) }
        return Array(bytes.prefix(count))
    }

    /// Writes parts of some bytes over: each an offset, a length and what stands there then.
    ///
    /// So a small input changes a large thing in many places.
    mutating func edit(_ target: inout [UInt8]) {
        while !isEmpty, !target.isEmpty {
            let offset = word() % target.count
            let part = take(1 + Int(byte() % 64)).prefix(target.count - offset)
            target.replaceSubrange(offset..<offset + part.count, with: part)
        }
    }
}

/// The bytes of one input, taken from the front.
struct FuzzInput {
    private var bytes: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { self.bytes = bytes[...] }

    var isEmpty: Bool { bytes.isEmpty }
    var rest: [UInt8] { Array(bytes) }

    /// The next byte; 0 at the end.
    mutating func byte() -> UInt8 { bytes.popFirst() ?? 0 }

    mutating func word() -> Int { Int(byte()) | Int(byte()) << 8 }

    mutating func take(_ count: Int) -> [UInt8] {
        defer { bytes = bytes.dropFirst(count) }
        return Array(bytes.prefix(count))
    }

    /// Overwrites parts of `target`; the input has an offset, a length and the new bytes for each
    /// edit.
    ///
    /// In this way, a small input can change a large target in many places.
    mutating func edit(_ target: inout [UInt8]) {
        while !isEmpty, !target.isEmpty {
            let offset = word() % target.count
            let part = take(1 + Int(byte() % 64)).prefix(target.count - offset)
            target.replaceSubrange(offset..<offset + part.count, with: part)
        }
    }
}

extension ByteView {
    /// Whether all bytes are zero; the time tells nothing of where one is not.
    package var isZero: Bool {
        let wordEnd = byteCount / 8 * 8
        var seen: UInt64 = 0
        for offset in stride(from: 0, to: wordEnd, by: 8) { seen |= load(UInt64.self, at: offset) }
        for offset in wordEnd..<byteCount { seen |= UInt64(load(UInt8.self, at: offset)) }
        return seen == 0
    }
}

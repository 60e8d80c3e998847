package import BullaMemory

/// Sixteen random bytes that name a history or a world.
package struct Identifier: Hashable, Sendable {
    package let high: UInt64
    package let low: UInt64

    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    package init(_ bytes: ByteView, at offset: Int) {
        high = bytes.load(UInt64.self, at: offset)
        low = bytes.load(UInt64.self, at: offset + 8)
    }

    package var bytes: [UInt8] { high.littleEndianBytes + low.littleEndianBytes }

    package func write(_ bytes: MutableByteView, at offset: Int) {
        bytes.store(high, at: offset)
        bytes.store(low, at: offset + 8)
    }
}

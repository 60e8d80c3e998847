internal import BullaCipher
internal import BullaMemory

/// Seals and opens the chunks of one asset, in place.
///
///     bytes  field
///        72  the chunk's key, wrapped by the asset's key
///        12  nonce
///         n  ciphertext
///        16  tag
///
/// A chunk is bound to its asset, to its index, and to whether it is the last one, so no chunk can
/// be moved, and a missing chunk at the end is noticed.
struct ChunkSealer: Sendable {
    static let chunkByteCount = 1 << 20
    /// The number of bytes before a chunk's own bytes.
    static let headByteCount = RecordKey.wrappedByteCount + ItemCipher.nonceByteCount
    static let tagByteCount = ItemCipher.tagByteCount
    static let sealedByteCount = headByteCount + chunkByteCount + tagByteCount

    private let asset: RandomIdentifier
    private let wrapper: VaultCipher
    private let items: ItemCipher

    init(
        _ asset: RandomIdentifier, key: [UInt8], _ items: ItemCipher
    ) throws(CipherError) {
        var secret = try SecretBytes.zeroed(byteCount: AssetDescriptor.keyByteCount)
        key.withView { key in secret.withMutableView { $0.copy(key, to: 0) } }
        wrapper = try VaultCipher(key: secret)
        (self.asset, self.items) = (asset, items)
    }

    private func context(_ index: UInt32, isLast: Bool) -> [UInt8] {
        var tuple = ByteTuple("bulla records chunk v1")
        tuple.append(asset)
        tuple.append(index)
        tuple.append(UInt8(isLast ? 1 : 0))
        return tuple.bytes
    }

    /// Seals a chunk in place.
    ///
    /// - Parameter chunk: the chunk's bytes, with ``headByteCount`` bytes of space before them and
    ///   ``tagByteCount`` after them.
    func seal(
        inPlace chunk: inout [UInt8], _ index: UInt32, isLast: Bool
    ) throws(CipherError) {
        let context = context(index, isLast: isLast)
        let key = try RecordKey.random(wrapper, context)
        try chunk.withMutableView { chunk throws(CipherError) in
            key.wrap.withView { chunk.copy($0, to: 0) }
            let item = Self.item(of: chunk)
            try key.withView { key throws(CipherError) in
                try items.sealing(under: key) { sealer throws(CipherError) in
                    try context.withView { context throws(CipherError) in
                        try sealer.seal(inPlace: item, context: [context])
                    }
                }
            }
        }
    }

    /// Opens a chunk in place.
    ///
    /// - Returns: the range of the chunk's own bytes.
    /// - Throws: ``CipherError/Code/badTag`` if it is not the asset's chunk with this index, or
    ///   `isLast` is wrong.
    func open(
        inPlace sealed: inout [UInt8], _ index: UInt32, isLast: Bool
    ) throws(CipherError) -> Range<Int> {
        let end = sealed.count - Self.tagByteCount
        guard end >= Self.headByteCount else { throw CipherError(.malformed) }
        let context = context(index, isLast: isLast)
        try sealed.withMutableView { sealed throws(CipherError) in
            let wrap = sealed.view.slice(0, RecordKey.wrappedByteCount)
            let key = try RecordKey.unwrap(wrap, wrapper, context)
            let item = Self.item(of: sealed)
            try key.withView { key throws(CipherError) in
                try items.opening(under: key) { opener throws(CipherError) in
                    try context.withView { context throws(CipherError) in
                        try opener.open(inPlace: item, context: [context])
                    }
                }
            }
        }
        return Self.headByteCount..<end
    }

    /// The tag of a sealed chunk: its last bytes.
    static func tag(of sealed: [UInt8]) -> [UInt8] {
        // Not `suffix`: because the result is an array, Swift would choose the `suffix` of
        // `Sequence`, which iterates over the whole chunk.
        Array(sealed[max(sealed.count - tagByteCount, 0)...])
    }

    private static func item(of chunk: MutableByteView) -> MutableByteView {
        let start = RecordKey.wrappedByteCount
        return chunk.slice(start, chunk.byteCount - start)
    }
}

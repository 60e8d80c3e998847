internal import BullaCipher
internal import BullaMemory

/// Seals and opens the chunks of one asset.
///
///     bytes  field
///        72  the chunk's key, wrapped by the asset's
///        12  nonce
///         n  ciphertext
///        16  tag
///
/// A chunk is bound to its asset, to its place among the chunks, and to whether it is the last: so
/// none can be moved, and none is missing at the end unnoticed.
struct ChunkSealer: Sendable {
    static let chunkByteCount = 1 << 20
    static let extraByteCount = RecordKey.wrappedByteCount + ItemCipher.extraByteCount

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

    func seal(
        _ chunk: [UInt8], _ index: UInt32, isLast: Bool
    ) throws(CipherError) -> [UInt8] {
        let context = context(index, isLast: isLast)
        let key = try RecordKey.random(wrapper, context)
        let count = chunk.count + Self.extraByteCount
        return try [UInt8](byteCount: count) { sealed throws(CipherError) in
            key.wrap.withView { sealed.copy($0, to: 0) }
            let wrapByteCount = RecordKey.wrappedByteCount
            let item = sealed.slice(wrapByteCount, count - wrapByteCount)
            try chunk.withView { chunk throws(CipherError) in
                try seal(chunk, key, context, into: item)
            }
        }
    }

    private func seal(
        _ chunk: ByteView, _ key: RecordKey, _ context: [UInt8], into sealed: MutableByteView
    ) throws(CipherError) {
        try key.withView { key throws(CipherError) in
            try items.sealing(under: key) { sealer throws(CipherError) in
                try context.withView { context throws(CipherError) in
                    try sealer.seal(chunk, context: [context], into: sealed)
                }
            }
        }
    }

    /// - Throws: ``CipherError/Code/badTag`` for what is not this chunk; one that is the last is
    ///   told from one that is not.
    func open(
        _ sealed: [UInt8], _ index: UInt32, isLast: Bool
    ) throws(CipherError) -> [UInt8] {
        guard sealed.count >= Self.extraByteCount else { throw CipherError(.malformed) }
        let context = context(index, isLast: isLast)
        return try sealed.withView { sealed throws(CipherError) in
            let wrap = sealed.slice(0, RecordKey.wrappedByteCount)
            let item = sealed.slice(wrap.byteCount, sealed.byteCount - wrap.byteCount)
            return try open(item, try RecordKey.unwrap(wrap, wrapper, context), context)
        }
    }

    private func open(
        _ item: ByteView, _ key: RecordKey, _ context: [UInt8]
    ) throws(CipherError) -> [UInt8] {
        var chunk: [UInt8] = []
        let count = item.byteCount - ItemCipher.extraByteCount
        try key.withView { key throws(CipherError) in
            try items.opening(under: key) { opener throws(CipherError) in
                try context.withView { context throws(CipherError) in
                    guard count > 0 else { return try opener.verify(item, context: [context]) }
                    chunk = try [UInt8](byteCount: count) { chunk throws(CipherError) in
                        try opener.open(item, context: [context], into: chunk)
                    }
                }
            }
        }
        return chunk
    }
}

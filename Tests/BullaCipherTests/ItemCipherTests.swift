import BullaCipher
import BullaMemory
import Testing

@Suite struct `An item cipher` {
    @Test func `is AES-256-GCM, under one key after the other`() throws {
        let cipher = try ItemCipher()
        try RandomVectorFile("aes-256-gcm-random").forEach { vector, stream in
            let (key, nonce) = (Bytes(try stream.take(32)), try stream.take(12))
            let context = Bytes(try stream.take(vector.numbers[0]))
            let plaintext = try stream.take(vector.numbers[1])
            let opened = try cipher.open(nonce + vector.answer, key.view, [context.view])
            #expect(opened == plaintext)
            // What the cipher itself seals opens under this key, too, even with the context split.
            let sealed = try cipher.seal(plaintext, key.view, [context.view])
            let half = context.count / 2
            let parts = [
                context.view.slice(0, half), context.view.slice(half, context.count - half),
            ]
            #expect(try cipher.open(sealed, key.view, parts) == plaintext)
        }
    }

    @Test func `opens nothing that was changed, moved, or sealed under another key`() throws {
        let cipher = try ItemCipher()
        let (key, other) = (Bytes(pattern(32)), Bytes(pattern(32, from: 1)))
        let (context, moved) = (Bytes(pattern(50)), Bytes(pattern(50, from: 3)))
        let sealed = try cipher.seal(pattern(40), key.view, [context.view])
        #expect(throws: CipherError(.badTag)) {
            try cipher.open(sealed, other.view, [context.view])
        }
        #expect(throws: CipherError(.badTag)) {
            try cipher.open(sealed, key.view, [moved.view])
        }
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 0x80
            #expect(throws: CipherError(.badTag)) {
                try cipher.open(changed, key.view, [context.view])
            }
        }
        #expect(try cipher.open(sealed, key.view, [context.view]) == pattern(40))
    }

    @Test func `authenticates a context that stands alone`() throws {
        let cipher = try ItemCipher()
        let (key, context) = (Bytes(pattern(32)), Bytes(pattern(100)))
        let sealed = try cipher.seal([], key.view, [context.view])
        #expect(sealed.count == ItemCipher.extraByteCount)
        #expect(try cipher.open(sealed, key.view, [context.view]).isEmpty)
        context[99] ^= 1
        #expect(throws: CipherError(.badTag)) {
            try cipher.open(sealed, key.view, [context.view])
        }
    }

    @Test(arguments: [0, 1, 16, 33, 4_096, 1 << 20])
    func `seals and opens where the item stands`(byteCount: Int) throws {
        let cipher = try ItemCipher()
        let (key, context) = (Bytes(pattern(32)), Bytes(pattern(20)))
        let item = pattern(byteCount)
        // An item sealed in place opens elsewhere, and the other way round.
        var sealed = [UInt8](repeating: 0, count: 12) + item + [UInt8](repeating: 0, count: 16)
        try sealed.withMutableView { sealed throws(CipherError) in
            try cipher.sealing(under: key.view) { sealer throws(CipherError) in
                try sealer.seal(inPlace: sealed, context: [context.view])
            }
        }
        #expect(try cipher.open(sealed, key.view, [context.view]) == item)
        var other = try cipher.seal(item, key.view, [context.view])
        try cipher.open(inPlace: &other, key.view, [context.view])
        #expect(Array(other[12..<12 + byteCount]) == item)
    }

    @Test func `leaves nothing where a changed item stood`() throws {
        let cipher = try ItemCipher()
        let key = Bytes(pattern(32))
        var sealed = try cipher.seal(pattern(40), key.view, [])
        sealed[51] ^= 1
        #expect(throws: CipherError(.badTag)) {
            try cipher.open(inPlace: &sealed, key.view, [])
        }
        #expect(sealed[12..<52].allSatisfy { $0 == 0 })
        var short = Array(sealed.prefix(27))
        #expect(throws: CipherError(.malformed)) {
            try cipher.open(inPlace: &short, key.view, [])
        }
    }

    @Test func `refuses keys of other lengths, and everything after its end`() throws {
        let cipher = try ItemCipher()
        let key = Bytes(pattern(32))
        #expect(throws: CipherError(.badArgument)) {
            try cipher.seal([1], key.view.slice(0, 31), [])
        }
        let sealed = try cipher.seal([1], key.view, [])
        cipher.end()
        #expect(throws: CipherError(.memory)) { try cipher.open(sealed, key.view, []) }
    }

    @Test func `gives no two items the same nonce`() throws {
        let cipher = try ItemCipher()
        let key = Bytes(pattern(32))
        let nonces = try (0..<5_000).map { _ in
            Array(try cipher.seal([0], key.view, []).prefix(12))
        }
        #expect(Set(nonces).count == nonces.count)
    }
}

extension ItemCipher {
    fileprivate func seal(
        _ item: [UInt8], _ key: ByteView, _ context: [ByteView]
    ) throws(CipherError) -> [UInt8] {
        let (item, sealed) = (Bytes(item), Bytes(count: item.count + Self.extraByteCount))
        try sealing(under: key) { sealer throws(CipherError) in
            try sealer.seal(item.view, context: context, into: sealed.mutableView)
        }
        return sealed.array
    }

    fileprivate func open(
        _ sealed: [UInt8], _ key: ByteView, _ context: [ByteView]
    ) throws(CipherError) -> [UInt8] {
        let (sealed, item) = (Bytes(sealed), Bytes(count: sealed.count - Self.extraByteCount))
        try opening(under: key) { opener throws(CipherError) in
            try opener.open(sealed.view, context: context, into: item.mutableView)
        }
        return item.array
    }

    fileprivate func open(
        inPlace sealed: inout [UInt8], _ key: ByteView, _ context: [ByteView]
    ) throws(CipherError) {
        try sealed.withMutableView { sealed throws(CipherError) in
            try opening(under: key) { opener throws(CipherError) in
                try opener.open(inPlace: sealed, context: context)
            }
        }
    }
}

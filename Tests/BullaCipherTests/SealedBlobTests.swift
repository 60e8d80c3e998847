import BullaCipher
import BullaMemory
import CBullaCipher
import Testing

@Suite struct `A sealed blob` {
    private static let key = pattern(32, from: 2)
    private static let vault = VaultIdentifier(Bytes(pattern(16, from: 60)).view)
    private static let header = BlobHeader(vault: vault, epoch: 0x0403_0201)
    private static let identity = pattern(40, from: 7)
    private let cipher: VaultCipher

    init() throws {
        cipher = try VaultCipher(key: SecretBytes(known: Self.key))
    }

    @Test func `of another implementation opens`() throws {
        for vector in try VectorFile("sealed-blobs").vectors {
            let cleartext = try vector.bytes("cleartext")
            let blob = Bytes(try vector.bytes("blob"))
            let header = BlobHeader(
                vault: VaultIdentifier(Bytes(try vector.bytes("vault")).view),
                epoch: try vector.number("epoch"))
            let cipher = try VaultCipher(key: SecretBytes(known: try vector.bytes("key")))
            let opened = try open(
                blob, for: try vector.bytes("identity"), header: header, with: cipher)
            #expect(opened == cleartext)
            #expect(
                SealedBlob.sealedByteCount(cleartextByteCount: cleartext.count) == blob.count)
            #expect(try SealedBlob(blob.view).header == header)
        }
    }

    @Test func `opens to what it was, at every length to 600`() throws {
        for count in 0...600 { try expectRoundTrip(count) }
    }

    @Test func `opens to what it was around every step up to 70 000`() throws {
        for count in stepEnds(from: 600, to: 70_000) {
            for near in count - 1...count + 1 { try expectRoundTrip(near) }
        }
    }

    @Test func `does not open when any bit of it differs`() throws {
        let blob = try seal(pattern(40))
        for bit in 0..<blob.count * 8 {
            blob[bit / 8] ^= 1 << (bit % 8)
            // The error depends on the field that is damaged.
            let expected: CipherError.Code =
                switch bit / 8 {
                case 0: .unavailable
                case 1: .malformed
                case 2..<22: .foreign
                default: .badTag
                }
            expectRefusal(of: blob, as: expected)
            blob[bit / 8] ^= 1 << (bit % 8)
        }
        #expect(try open(blob) == pattern(40))
    }

    @Test func `does not open when it is cut, or longer`() throws {
        let whole = try seal(pattern(100)).array
        for count in 0..<whole.count {
            // The length of so short a blob can only be 62 plus a multiple of 32.
            let isCount = count >= 94 && (count - 62) % 32 == 0
            expectRefusal(
                of: Bytes(Array(whole.prefix(count))), as: isCount ? .badTag : .malformed)
        }
        expectRefusal(of: Bytes(whole + [0]), as: .malformed)
        expectRefusal(of: Bytes(whole + [UInt8](repeating: 0, count: 32)), as: .badTag)
    }

    @Test func `does not open elsewhere than where it was sealed for`() throws {
        let blob = try seal(pattern(40))
        var others = [[], Self.identity + [0], Array(Self.identity.dropLast()), pattern(40)]
        for bit in 0..<Self.identity.count * 8 {
            others.append(Self.identity)
            others[others.count - 1][bit / 8] ^= 1 << (bit % 8)
        }
        for other in others { expectRefusal(of: blob, for: other, as: .badTag) }
    }

    @Test func `does not open in another vault, another epoch, or under another key`() throws {
        let blob = try seal(pattern(40))
        let otherVault = BlobHeader(vault: try .random(), epoch: Self.header.epoch)
        let otherEpoch = BlobHeader(vault: Self.vault, epoch: Self.header.epoch + 1)
        for header in [otherVault, otherEpoch] {
            expectRefusal(of: blob, header: header, as: .foreign)
            // It does not open even if the blob claims to belong there.
            let disguised = Bytes(blob.array)
            disguised.mutableView.store(header.epoch, at: 2)
            header.vault.store(in: disguised.mutableView, at: 6)
            expectRefusal(of: disguised, header: header, as: .badTag)
        }
        let otherKey = try VaultCipher(key: SecretBytes(known: pattern(32)))
        expectRefusal(of: blob, with: otherKey, as: .badTag)
    }

    @Test func `that is sealed twice shares nothing but its header`() throws {
        let (one, other) = (try seal(pattern(200)).array, try seal(pattern(200)).array)
        #expect(one.prefix(22) == other.prefix(22))
        // Of the 240 bytes after the nonce, about one coincides by chance; 20 are all but
        // impossible.
        #expect(one[22..<46] != other[22..<46])
        let sameCount = zip(one, other).dropFirst(46).count { $0 == $1 }
        #expect(sameCount < 20)
        #expect(one.suffix(16) != other.suffix(16))
    }

    @Test func `has the same length within a step, and at most 12 % more beyond the steps`() {
        #expect(SealedBlob.sealedByteCount(cleartextByteCount: 0) == 62 + 32)
        #expect(SealedBlob.sealedByteCount(cleartextByteCount: 28) == 62 + 32)
        #expect(SealedBlob.sealedByteCount(cleartextByteCount: 29) == 62 + 64)
        #expect(SealedBlob.sealedByteCount(cleartextByteCount: 252) == 62 + 256)
        #expect(SealedBlob.sealedByteCount(cleartextByteCount: 253) == 62 + 272)
        var last = 0
        var lengths: Set<Int> = []
        for count in 0..<100_000 {
            let padded = SealedBlob.sealedByteCount(cleartextByteCount: count) - 62
            #expect(padded >= count + 4 && padded >= last)
            let excess = padded - count - 4
            #expect(count + 4 <= 256 ? excess < 32 : excess * 100 <= 12 * (count + 4))
            last = padded
            lengths.insert(padded)
        }
        // There are 8 lengths up to 2^8, then 16 in each doubling, and 32 in each from 2^16 on.
        #expect(lengths.count < 8 + 9 * 16 + 32)
        #expect(lengths.contains(8192 + 512) && !lengths.contains(8192 + 256))
    }

    @Test func `has at most 32 bits of length`() throws {
        let limit = SealedBlob.cleartextByteLimit
        #expect(SealedBlob.sealedByteCount(cleartextByteCount: limit) <= Int(UInt32.max))
        #expect(SealedBlob.sealedByteCount(cleartextByteCount: limit + 1) > Int(UInt32.max))
        #expect(limit > Int(UInt32.max) / 100 * 98)
    }

    @Test func `has an identity of at most 1024 bytes`() throws {
        let blob = try seal([1], for: pattern(1024))
        #expect(try open(blob, for: pattern(1024)) == [1])
        #expect(throws: CipherError(.badArgument)) { _ = try seal([1], for: pattern(1025)) }
        expectRefusal(of: blob, for: pattern(1025), as: .badArgument)
    }

    @Test func `with a plaintext that no writer seals is refused`() throws {
        let valid: [UInt8] = [3, 0, 0, 0, 1, 2, 3] + [UInt8](repeating: 0, count: 25)
        #expect(try open(sealPlaintext(valid)) == [1, 2, 3])
        for index in 7..<32 {
            var plaintext = valid
            plaintext[index] = 1
            expectRefusal(of: try sealPlaintext(plaintext), as: .malformed)
        }
        for count: UInt32 in [29, 32, 0x8000_0000, .max] {
            let plaintext = count.bytes + [UInt8](repeating: 0, count: 28)
            expectRefusal(of: try sealPlaintext(plaintext), as: .malformed)
        }
        // This one is padded more than necessary.
        expectRefusal(
            of: try sealPlaintext(valid + [UInt8](repeating: 0, count: 32)), as: .malformed)
    }

    @Test func `leaves no cleartext where a cipher that has ended was to seal it`() throws {
        let blob = Bytes(count: SealedBlob.sealedByteCount(cleartextByteCount: 50))
        cipher.end()
        #expect(throws: CipherError(.memory)) {
            try Self.header.withContext(for: emptyView) { context throws(CipherError) in
                try SealedBlob.seal(
                    Bytes(pattern(50)).view, in: context, with: cipher, into: blob.mutableView)
            }
        }
        #expect(blob.array.allSatisfy { $0 == 0 })
    }
}

extension `A sealed blob` {
    private func seal(
        _ cleartext: [UInt8], for identity: [UInt8] = Self.identity
    ) throws(CipherError) -> Bytes {
        let blob = Bytes(
            count: SealedBlob.sealedByteCount(cleartextByteCount: cleartext.count))
        try Self.header.withContext(for: Bytes(identity).view) { context throws(CipherError) in
            try SealedBlob.seal(
                Bytes(cleartext).view, in: context, with: cipher, into: blob.mutableView)
        }
        return blob
    }

    /// Seals any plaintext as a blob.
    private func sealPlaintext(_ plaintext: [UInt8]) throws -> Bytes {
        let head = [1, 0] + Self.header.epoch.bytes + Self.vault.bytes
        let context = head + UInt32(Self.identity.count).bytes + Self.identity
        let sealed = KnownVault(key: Self.key).seal(
            nonce: pattern(24), context: context, plaintext: plaintext)
        return Bytes(head + sealed.sealed)
    }

    private func open(
        _ blob: Bytes, for identity: [UInt8] = Self.identity, header: BlobHeader = Self.header,
        with cipher: VaultCipher? = nil
    ) throws(CipherError) -> [UInt8] {
        let blob = try SealedBlob(blob.view)
        let room = Bytes(count: blob.plaintextByteCount)
        var opened: [UInt8] = []
        try header.withContext(for: Bytes(identity).view) { context throws(CipherError) in
            opened = try blob.open(
                in: context, with: cipher ?? self.cipher, into: room.mutableView
            ).copied()
        }
        return opened
    }

    private func expectRoundTrip(_ count: Int) throws {
        let cleartext = pattern(count)
        let blob = try seal(cleartext)
        #expect(try open(blob) == cleartext)
        #expect(try SealedBlob(blob.view).header == Self.header)
    }

    /// Expects an error, and zeros in the place of the cleartext.
    private func expectRefusal(
        of blob: Bytes, for identity: [UInt8] = Self.identity, header: BlobHeader = Self.header,
        with cipher: VaultCipher? = nil, as code: CipherError.Code,
        at location: SourceLocation = #_sourceLocation
    ) {
        var room: Bytes?
        #expect(throws: CipherError(code), sourceLocation: location) {
            let blob = try SealedBlob(blob.view)
            try header.withContext(for: Bytes(identity).view) { context throws(CipherError) in
                let plaintext = Bytes(count: blob.plaintextByteCount, filledWith: 0xff)
                room = plaintext
                _ = try blob.open(
                    in: context, with: cipher ?? self.cipher, into: plaintext.mutableView)
            }
        }
        #expect(room?.array.allSatisfy { $0 == 0 } != false, sourceLocation: location)
    }

    /// The greatest byte count of a cleartext for each padded length.
    private func stepEnds(from first: Int, to last: Int) -> [Int] {
        var ends: [Int] = []
        var count = first
        while count <= last {
            let end = SealedBlob.sealedByteCount(cleartextByteCount: count) - 62 - 4
            ends.append(end)
            count = end + 1
        }
        return ends
    }
}

extension UInt32 {
    /// The bytes in little-endian order.
    fileprivate var bytes: [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: self >> ($0 * 8)) }
    }
}

import BullaCipher
import BullaMemory
import Testing

@Suite struct `A record` {
    private let context = Bytes(pattern(56, from: 9))

    @Test(arguments: [0, 1, 64, 1024])
    func `that was sealed opens to what it was`(byteCount: Int) throws {
        let record = pattern(byteCount, from: 4)
        let sealed = try seal(record)
        let opened = Bytes(count: byteCount, filledWith: 0xff)
        try RecordSeal.open(
            sealed.view, key: SecretBytes(known: pattern(32)), context: context.view,
            into: opened.mutableView)
        #expect(opened.array == record)
    }

    @Test func `is one-shot GCM under the nonce before it`() throws {
        let sealed = try seal(pattern(64)).array
        let opened = Primitives.gcmOpen(
            key: pattern(32), nonce: Array(sealed.prefix(12)), context: context.array,
            sealed: Array(sealed.dropFirst(12)))
        #expect(opened.opened == pattern(64))
    }

    @Test func `does not open when any bit of it, its key or its context differs`() throws {
        let sealed = try seal(pattern(64))
        for bit in 0..<sealed.count * 8 {
            sealed[bit / 8] ^= 1 << (bit % 8)
            try expectRefusal(of: sealed, key: pattern(32), context: context)
            sealed[bit / 8] ^= 1 << (bit % 8)
        }
        var key = pattern(32)
        key[31] ^= 1
        try expectRefusal(of: sealed, key: key, context: context)
        try expectRefusal(of: sealed, key: pattern(32), context: Bytes(pattern(55, from: 9)))
    }

    @Test func `that is sealed twice gives different bytes`() throws {
        #expect(try seal(pattern(64)).array != seal(pattern(64)).array)
    }

    @Test func `that is too long is refused`() {
        #expect(throws: CipherError(.badArgument)) { _ = try seal(pattern(1025)) }
    }

    private func seal(_ record: [UInt8]) throws -> Bytes {
        let sealed = Bytes(count: record.count + RecordSeal.extraByteCount)
        try RecordSeal.seal(
            Bytes(record).view, key: SecretBytes(known: pattern(32)), context: context.view,
            into: sealed.mutableView)
        return sealed
    }

    private func expectRefusal(of sealed: Bytes, key: [UInt8], context: Bytes) throws {
        let opened = Bytes(count: sealed.count - RecordSeal.extraByteCount, filledWith: 0xff)
        let key = try SecretBytes(known: key)
        #expect(throws: CipherError(.badTag)) {
            try RecordSeal.open(
                sealed.view, key: key, context: context.view, into: opened.mutableView)
        }
        #expect(opened.array.allSatisfy { $0 == 0 })
    }
}

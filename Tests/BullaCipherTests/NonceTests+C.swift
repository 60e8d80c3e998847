import BullaCipher
import BullaMemory
import Foundation
import Testing

@Suite struct `Nonces of a vault` {
    @Test func `are drawn 64 at a time, and none comes twice`() {
        let nonces = Nonces()
        var seen: Set<[UInt8]> = []
        for index in 0..<1000 {
            seen.insert(nonces.take(tick: 7))
            #expect(nonces.leftCount == 63 - index % 64)
        }
        #expect(seen.count == 1000)
    }

    @Test func `of one tick do not serve in the next, nor in an earlier one`() {
        let nonces = Nonces()
        for tick: UInt64 in [8, 9, 8, 0, .max] {
            _ = nonces.take(tick: tick)
            _ = nonces.take(tick: tick)
            #expect(nonces.leftCount == 62)
        }
    }

    @Test func `have no byte that stays the same`() {
        let nonces = Nonces()
        var seen = [UInt8](repeating: 0, count: 24)
        for _ in 0..<16 {
            for (index, byte) in nonces.take(tick: 1).enumerated() { seen[index] |= byte }
        }
        #expect(seen.allSatisfy { $0 != 0 })
    }

    @Test func `that were drawn before a fork serve the parent alone`() async {
        await #expect(processExitsWith: .success) {
            let nonces = Nonces()
            _ = nonces.take(tick: 7)
            let pipe = Pipe()
            let status = try Child.exitStatus {
                let nonce = nonces.take(tick: 7)
                guard nonces.leftCount == 63 else { return 1 }
                // The child keeps the generation that it has made, so it goes on with the same
                // batch.
                _ = nonces.take(tick: 7)
                guard nonces.leftCount == 62 else { return 2 }
                pipe.fileHandleForWriting.write(Data(nonce))
                return 0
            }
            guard status == 0 else { exit(status) }
            let ofChild = [UInt8](pipe.fileHandleForReading.readData(ofLength: 24))
            let ofParent = (0..<63).map { _ in nonces.take(tick: 7) }
            exit(nonces.leftCount == 0 && !ofParent.contains(ofChild) ? 0 : 3)
        }
    }

    @Test func `and keys of a vault that has ended are nowhere in memory`() async {
        await #expect(processExitsWith: .success) {
            let mask: UInt8 = 0x5a
            let (cipher, hidden) = try vaultWithFreshKey(hiddenBy: mask)
            // The search must find a living key; otherwise finding nothing proves nothing.
            let before = try Mapping.occurrences(of: hidden, hiddenBy: mask)
            cipher.end()
            let after = try Mapping.occurrences(of: hidden, hiddenBy: mask)
            exit(before > 0 && after == 0 ? 0 : 1)
        }
    }
}

/// A cipher that has sealed under a new key, and the masked bytes of that key.
@inline(never)
private func vaultWithFreshKey(hiddenBy mask: UInt8) throws -> (VaultCipher, [UInt8]) {
    var key = try SecretBytes(byteCount: 32)
    try key.withMutableView { view throws(CipherError) in try KernelRandom.fill(view) }
    let cipher = try VaultCipher(key: key)
    let sealed = Bytes(count: 140)
    let cleartext = Bytes(pattern(100))
    try cipher.seal(cleartext.view, context: emptyView, into: sealed.mutableView)
    try cipher.open(sealed.view, context: emptyView, into: cleartext.mutableView)
    let hidden = key.withView { view in
        (0..<32).map { view.load(UInt8.self, at: $0) ^ mask }
    }
    return (cipher, hidden)
}

import Bulla
import BullaTestSupport
import Testing

extension TestStore {
    /// Gives the store another secret, and expects that the former secret opens nothing in the file
    /// any more.
    func expectFormerSecretGone(sourceLocation: SourceLocation = #_sourceLocation) throws {
        let store = try open()
        try store.resumeReencryption()
        let before = try scratch.bytes(Self.name)
        let former = try FormerSecret(before, userKey: StoreKind.keyBytes)
        let found = try former.findings(in: before, commits: nil)
        #expect(
            !found.read.isEmpty && !found.authentic.isEmpty, "the tool reads nothing",
            sourceLocation: sourceLocation)
        try store.reencrypt(keys: [StoreKey(StoreKind.keyBytes)], droppingOtherSlots: true)
        for isClosed in [false, true] {
            if isClosed { try store.close() }
            let after = try scratch.bytes(Self.name)
            #expect(
                try former.findings(in: after, commits: nil) == .none,
                sourceLocation: sourceLocation)
            #expect(
                FormerSecret.keptBlocks(of: before, in: after) == [],
                sourceLocation: sourceLocation)
        }
    }
}

extension FormerSecret {
    /// The offsets of the unchanged blocks of 32 bytes in a file, after its first 64 KiB; every
    /// nonzero byte there is sealed or random.
    static func keptBlocks(of before: [UInt8], in after: [UInt8]) -> [Int] {
        let end = min(before.count, after.count)
        let zeros = [UInt8](repeating: 0, count: 32)
        return stride(from: 65536, to: end - 31, by: 32).filter { offset in
            let block = Array(before[offset..<offset + 32])
            return block == Array(after[offset..<offset + 32]) && block != zeros
        }
    }
}

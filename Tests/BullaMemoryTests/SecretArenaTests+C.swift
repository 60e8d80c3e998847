import BullaMemory
import Foundation
import Synchronization
import Testing

/// Each test has a process of its own, so nothing else uses its arena.
@Suite struct `Memory for secrets` {
    @Test func `is shared by many of them, which do not touch`() async {
        await #expect(processExitsWith: .success) {
            let owners = try (1...300).map { try Owner(byteCount: $0, filledWith: UInt8($0 % 251)) }
            for owner in owners { #expect(owner.isWhole) }
            // Without this, the optimizer would end the owners' lives after their last use.
            let statistics = withExtendedLifetime(owners) { SecretArena.statistics }
            #expect(statistics.secretCount == 300)
            let sum = (1...300).reduce(0, +)
            #expect(statistics.usedByteCount >= sum && statistics.usedByteCount < sum + 300 * 24)
            #expect(statistics.lockedByteCount == SecretArena.blockByteCount)
            #expect(statistics.looseByteCount == 0)
        }
    }

    @Test func `serves again, and is zeros then`() async {
        await #expect(processExitsWith: .success) {
            let kept = try Owner(byteCount: 64, filledWith: 1)
            var former: Owner? = try Owner(byteCount: 500, filledWith: 2)
            let address = try #require(former?.address)
            former = nil
            // SAFETY: the address lies in the block that also contains the secret that is kept.
            let left = unsafe [UInt8](
                UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: address), count: 500))
            #expect(left == [UInt8](repeating: 0, count: 500))
            let next = try SecretBytes(byteCount: 500)
            let (nextAddress, bytes) = next.withView {
                (unsafe UInt(bitPattern: $0.base), $0.copied())
            }
            #expect(nextAddress == address && bytes == left)
            #expect(kept.isWhole)
        }
    }

    @Test func `is counted, its peak too, and a wiped secret is none`() async {
        await #expect(processExitsWith: .success) {
            #expect(SecretArena.statistics == SecretStatistics())
            do {
                let first = try SecretBytes(byteCount: 24)
                let second = try SecretBytes(byteCount: 8)
                #expect(SecretArena.statistics.usedByteCount == 48)
                #expect(SecretArena.statistics.secretCount == 2)
                first.wipe()
                first.wipe()
                #expect(SecretArena.statistics.secretCount == 1)
                #expect(SecretArena.statistics.usedByteCount == 48)
                let (isFirst, isSecond) = (first.isIntact, second.isIntact)
                #expect(!isFirst && isSecond)
            }
            let statistics = SecretArena.statistics
            #expect(statistics.usedByteCount == 0 && statistics.secretCount == 0)
            #expect(statistics.peakByteCount == 48)
            // One empty block is kept for the next secret.
            #expect(statistics.lockedByteCount == SecretArena.blockByteCount)
        }
    }

    @Test func `goes back to the system, but for one empty block`() async {
        await #expect(processExitsWith: .success) {
            var owners = try (0..<40).map {
                try Owner(byteCount: SecretArena.sharedByteLimit - 8, filledWith: UInt8($0))
            }
            #expect(SecretArena.statistics.lockedByteCount == 10 * SecretArena.blockByteCount)
            // Keep every fourth secret, so that no block is empty.
            owners = owners.enumerated().filter { $0.offset % 4 == 0 }.map(\.element)
            #expect(SecretArena.statistics.lockedByteCount == 10 * SecretArena.blockByteCount)
            for owner in owners { #expect(owner.isWhole) }
            owners = []
            #expect(SecretArena.statistics.lockedByteCount == SecretArena.blockByteCount)
        }
    }

    @Test func `of a large one is its own, and goes with it`() async {
        await #expect(processExitsWith: .success) {
            let small = try Owner(byteCount: 64, filledWith: 1)
            var large: Owner? = try Owner(byteCount: 16 << 20, filledWith: 2)
            #expect(large?.isWhole == true)
            let most = SecretArena.blockByteCount + (16 << 20) + 4096
            #expect(SecretArena.statistics.lockedByteCount == most)
            large = nil
            #expect(SecretArena.statistics.lockedByteCount == SecretArena.blockByteCount)
            #expect(SecretArena.statistics.peakByteCount > 16 << 20)
            #expect(small.isWhole)
        }
    }

    @Test(arguments: [true, false])
    func `serves many threads`(mayHide: Bool) async {
        await #expect(processExitsWith: .success) { [mayHide] in
            SecretMemory.mayHide = mayHide
            let failures = Atomic(0)
            DispatchQueue.concurrentPerform(iterations: 4) { thread in
                var owners: [Owner] = []
                for step in 0..<2000 {
                    let byteCount = (step * 37 + thread * 11) % 3000 + 1
                    let owner = try? Owner(byteCount: byteCount, filledWith: UInt8(thread + 1))
                    guard let owner else {
                        failures.add(1, ordering: .relaxed)
                        continue
                    }
                    owners.append(owner)
                    guard owners.count > 20 else { continue }
                    let last = owners.remove(at: step % 20)
                    if !last.isWhole { failures.add(1, ordering: .relaxed) }
                }
            }
            #expect(failures.load(ordering: .relaxed) == 0)
            let statistics = SecretArena.statistics
            #expect(statistics.usedByteCount == 0 && statistics.secretCount == 0)
            #expect(mayHide || statistics.hiddenByteCount == 0)
        }
    }
}

/// Holds a secret, and knows its content.
private final class Owner: Sendable {
    private let secret: SecretBytes
    private let byte: UInt8

    /// Makes a secret of zeros and fills it.
    init(byteCount: Int, filledWith byte: UInt8) throws {
        var secret = try SecretBytes(byteCount: byteCount)
        let isZero = secret.withView { $0.copied().allSatisfy { $0 == 0 } }
        precondition(isZero, "a secret begins as zeros")
        secret.withMutableView { $0.fill(0, byteCount, with: byte) }
        self.secret = secret
        self.byte = byte
    }

    var isWhole: Bool {
        secret.isIntact
            && secret.withView {
                $0.copied() == [UInt8](repeating: byte, count: secret.byteCount)
            }
    }

    var address: UInt { secret.withView { unsafe UInt(bitPattern: $0.base) } }
}

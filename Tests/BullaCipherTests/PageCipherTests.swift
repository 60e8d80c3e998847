import BullaCipher
import BullaMemory
import Foundation
import Testing

@Suite struct `A page` {
    @Test(arguments: Suite.allCases, [64, 512, 4096, 8192, 16384, 32768, 65536])
    func `that was sealed opens to what it was`(suite: Suite, pageByteCount: Int) throws {
        let fixture = try PageFixture(suite, pageByteCount: pageByteCount)
        let (page, check) = try fixture.seal()
        let outcome = fixture.cipher.outcome(of: page, context: fixture.context, check: check)
        #expect(outcome == PageOutcome(error: nil, content: fixture.content.array))
    }

    @Test(arguments: Suite.allCases)
    func `has its check in its tag and its epoch in its trailer`(suite: Suite) throws {
        let fixture = try PageFixture(suite)
        let (page, expected) = try fixture.seal()
        #expect(check(in: page) == expected)
        #expect(PageCipher.epoch(of: page.view) == fixture.context.epoch)
        #expect(Primitives.epoch(of: page.array) == fixture.context.epoch)
    }

    @Test(arguments: [Suite.aes256GCM, .aes256CTRHMACSHA256])
    func `that is sealed twice gives different bytes under different nonces`(suite: Suite) throws {
        let fixture = try PageFixture(suite)
        let pages = try (0..<8).map { _ in try fixture.seal().page }
        let trailer = fixture.cipher.contentByteCount
        let nonces = pages.map { $0.view.slice(trailer, TrailerField.nonce.byteCount).copied() }
        #expect(Set(nonces).count == 8)
        #expect(Set(pages.map { $0.array.prefix(trailer) }).count == 8)
        #expect(Set(pages.map { check(in: $0) }).count == 8)
    }

    @Test(arguments: [Suite.aes256GCM, .aes256CTRHMACSHA256])
    func `that is sealed shows nothing of its content`(suite: Suite) throws {
        let fixture = try PageFixture(suite)
        fixture.content.mutableView.fill(0, fixture.content.count)
        let page = try fixture.seal().page
        let counts = Dictionary(grouping: page.array, by: \.self).mapValues(\.count)
        // Each value occurs about 16 times in 4096 random bytes; 64 times is nearly impossible.
        #expect(counts.values.allSatisfy { $0 < 64 })
    }

    @Test(arguments: Suite.allCases)
    func `may be sealed where its content lies`(suite: Suite) throws {
        let fixture = try PageFixture(suite)
        let page = Bytes(fixture.content.array + pattern(32))
        var batch = SealBatch()
        batch.append(
            content: page.view.slice(0, fixture.content.count), sealed: page.mutableView,
            context: fixture.context)
        try fixture.cipher.seal(&batch)
        let outcome = fixture.cipher.outcome(
            of: page, context: fixture.context, check: batch.check(at: 0))
        #expect(outcome == PageOutcome(error: nil, content: fixture.content.array))
    }

    @Test(arguments: Suite.allCases)
    func `may be sealed alone`(suite: Suite) throws {
        let fixture = try PageFixture(suite)
        let page = Bytes(count: fixture.cipher.pageByteCount)
        try fixture.cipher.seal(
            fixture.content.view, into: page.mutableView, context: fixture.context)
        let outcome = fixture.cipher.outcome(
            of: page, context: fixture.context, check: check(in: page))
        #expect(outcome == PageOutcome(error: nil, content: fixture.content.array))
    }

    @Test(arguments: Suite.allCases)
    func `opens under another cipher of the same key`(suite: Suite) throws {
        let (page, check) = try PageFixture(suite).seal()
        let other = try PageFixture(suite)
        #expect(other.cipher.outcome(of: page, context: other.context, check: check).error == nil)
    }

    @Test func `of a plain file is verified where it lies`() throws {
        let fixture = try PageFixture(.plain)
        let (page, check) = try fixture.seal()
        try fixture.cipher.verify(page.view, context: fixture.context, check: check)
        page[100] ^= 1
        #expect(throws: CipherError(.badTag)) {
            try fixture.cipher.verify(page.view, context: fixture.context, check: check)
        }
    }

    @Test func `of a plain file needs no key, and has no epoch`() throws {
        let fixture = try PageFixture(.plain)
        let (page, check) = try fixture.seal()
        let keyless = try PageCipher(
            plain: .known(), formatVersion: 1, pageByteCount: fixture.cipher.pageByteCount)
        #expect(keyless.outcome(of: page, context: fixture.context, check: check).error == nil)
        var context = fixture.context
        context.epoch = 1
        var batch = SealBatch()
        batch.append(content: fixture.content.view, sealed: page.mutableView, context: context)
        #expect(throws: CipherError(.badArgument)) { try keyless.seal(&batch) }
    }

    @Test(arguments: [Suite.aes256GCM, .aes256CTRHMACSHA256])
    func `that is encrypted cannot be verified without opening it`(suite: Suite) throws {
        let fixture = try PageFixture(suite)
        let (page, check) = try fixture.seal()
        #expect(throws: CipherError(.badArgument)) {
            try fixture.cipher.verify(page.view, context: fixture.context, check: check)
        }
    }

    @Test(arguments: Suite.allCases)
    func `is sealed and opened by many threads at once`(suite: Suite) throws {
        let fixture = try PageFixture(suite)
        let cipher = fixture.cipher
        let context = fixture.context
        let expected = fixture.content.array
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            for _ in 0..<100 {
                let content = Bytes(expected)
                let page = Bytes(count: cipher.pageByteCount)
                var batch = SealBatch()
                batch.append(content: content.view, sealed: page.mutableView, context: context)
                #expect(throws: Never.self) { try cipher.seal(&batch) }
                let outcome = cipher.outcome(of: page, context: context, check: batch.check(at: 0))
                #expect(outcome == PageOutcome(error: nil, content: expected))
            }
        }
    }
}

@Suite struct `A page cipher` {
    @Test(arguments: [Suite.aes256GCM, .aes256CTRHMACSHA256])
    func `serves more threads at once than it has room for`(suite: Suite) throws {
        let fixture = try PageFixture(suite, pageByteCount: 65536)
        let (cipher, context, expected) = (fixture.cipher, fixture.context, fixture.content.array)
        let threadCount = 100
        let (began, ended) = (DispatchSemaphore(value: 0), DispatchGroup())
        for _ in 0..<threadCount {
            ended.enter()
            Thread.detachNewThread {
                began.wait()
                defer { ended.leave() }
                let content = Bytes(expected)
                let page = Bytes(count: cipher.pageByteCount)
                var batch = SealBatch()
                // Each thread makes one long call, during which the other threads' calls come.
                for _ in 0..<100 {
                    batch.append(content: content.view, sealed: page.mutableView, context: context)
                }
                #expect(throws: Never.self) { try cipher.seal(&batch) }
                let outcome = cipher.outcome(of: page, context: context, check: batch.check(at: 99))
                #expect(outcome == PageOutcome(error: nil, content: expected))
            }
        }
        for _ in 0..<threadCount { began.signal() }
        ended.wait()
    }

    @Test(arguments: Suite.allCases, [0, 32, 63, 65537, 131072])
    func `refuses a page size that it cannot seal`(suite: Suite, pageByteCount: Int) {
        #expect(throws: CipherError(.badArgument)) {
            _ = try PageFixture(suite, pageByteCount: max(pageByteCount, 32), key: pattern(64))
        }
    }

    @Test(arguments: Suite.allCases, [1, 31, 33, 63, 65])
    func `refuses a key that has not 64 bytes`(suite: Suite, byteCount: Int) {
        #expect(throws: CipherError(.badArgument)) {
            _ = try PageFixture(suite, key: pattern(byteCount))
        }
    }

    @Test func `does with the first half of the key where it has no use for the other`() throws {
        let (page, check) = try PageFixture(.aes256GCM).seal()
        let half = try PageFixture(.aes256GCM, key: pattern(32))
        #expect(half.cipher.outcome(of: page, context: half.context, check: check).error == nil)
        #expect(throws: CipherError(.badArgument)) {
            _ = try PageFixture(.aes256CTRHMACSHA256, key: pattern(32))
        }
    }

    @Test func `uses both halves of the key where it has use for them`() throws {
        var firstDiffers = pattern(64)
        firstDiffers[31] ^= 0x80
        var secondDiffers = pattern(64)
        secondDiffers[63] ^= 1
        let ctr = try PageFixture(.aes256CTRHMACSHA256)
        let (page, check) = try ctr.seal()
        let otherAES = try PageFixture(.aes256CTRHMACSHA256, key: firstDiffers).cipher
        #expect(
            otherAES.outcome(of: page, context: ctr.context, check: check).content
                != ctr.content.array)
        let otherMAC = try PageFixture(.aes256CTRHMACSHA256, key: secondDiffers).cipher
        #expect(
            otherMAC.outcome(of: page, context: ctr.context, check: check)
                .isRefused(as: .badTag))
        let gcm = try PageFixture(.aes256GCM)
        let (sealed, tag) = try gcm.seal()
        let otherGCM = try PageFixture(.aes256GCM, key: firstDiffers).cipher
        #expect(
            otherGCM.outcome(of: sealed, context: gcm.context, check: tag)
                .isRefused(as: .badTag))
    }
}

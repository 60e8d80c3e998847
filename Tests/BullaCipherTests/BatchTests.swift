import BullaCipher
import BullaMemory
import Testing

@Suite struct `A batch of pages` {
    /// More than the number of nonces that one call to the kernel gives, and not a multiple of it.
    private let count = 600

    @Test(arguments: Suite.allCases)
    func `seals and opens each page as itself`(suite: Suite) throws {
        let fixture = try PageFixture(suite, pageByteCount: 512)
        let (pages, checks) = try seal(with: fixture)
        let contents = pages.map { _ in Bytes(count: fixture.cipher.contentByteCount) }
        var batch = OpenBatch()
        for index in 0..<count {
            batch.append(
                page: pages[index].view, content: contents[index].mutableView,
                context: context(index, in: fixture), check: checks[index])
        }
        #expect(batch.count == count)
        try fixture.cipher.open(batch)
        for index in 0..<count { #expect(contents[index].array == content(index, in: fixture)) }
    }

    @Test(arguments: [Suite.aes256GCM, .aes256CTRHMACSHA256])
    func `has a nonce of its own for each page`(suite: Suite) throws {
        let fixture = try PageFixture(suite, pageByteCount: 512)
        let (pages, _) = try seal(with: fixture)
        let nonces = pages.map { $0.view.slice(fixture.cipher.contentByteCount, 12).copied() }
        #expect(Set(nonces).count == count)
    }

    @Test(arguments: Suite.allCases, [0, 1, 299, 599])
    func `names the page that does not open, and stops there`(suite: Suite, bad: Int) throws {
        let fixture = try PageFixture(suite, pageByteCount: 512)
        let (pages, checks) = try seal(with: fixture)
        pages[bad][3] ^= 1
        let contents = pages.map { _ in Bytes(count: fixture.cipher.contentByteCount) }
        contents.forEach { $0[0] = 0xee }
        var batch = OpenBatch()
        for index in 0..<count {
            batch.append(
                page: pages[index].view, content: contents[index].mutableView,
                context: context(index, in: fixture), check: checks[index])
        }
        #expect(throws: CipherError(.badTag, index: bad)) { try fixture.cipher.open(batch) }
        for index in 0..<bad { #expect(contents[index].array == content(index, in: fixture)) }
        #expect(contents[bad].array.allSatisfy { $0 == 0 })
        #expect(contents[(bad + 1)...].allSatisfy { $0[0] == 0xee })
    }

    @Test(arguments: Suite.allCases)
    func `without pages is nothing to do`(suite: Suite) throws {
        let fixture = try PageFixture(suite)
        var batch = SealBatch()
        try fixture.cipher.seal(&batch)
        try fixture.cipher.open(OpenBatch())
        batch.append(
            content: fixture.content.view, sealed: Bytes(count: 4096).mutableView,
            context: fixture.context)
        batch.removeAll()
        #expect(batch.count == 0)
        try fixture.cipher.seal(&batch)
    }

    private func seal(with fixture: PageFixture) throws -> (pages: [Bytes], checks: [UInt64]) {
        let pages = (0..<count).map { _ in Bytes(count: fixture.cipher.pageByteCount) }
        let contents = (0..<count).map { Bytes(content($0, in: fixture)) }
        var batch = SealBatch()
        for index in 0..<count {
            batch.append(
                content: contents[index].view, sealed: pages[index].mutableView,
                context: context(index, in: fixture))
        }
        try fixture.cipher.seal(&batch)
        return (pages, (0..<count).map { batch.check(at: $0) })
    }

    private func content(_ index: Int, in fixture: PageFixture) -> [UInt8] {
        pattern(fixture.cipher.contentByteCount, from: index)
    }

    private func context(_ index: Int, in fixture: PageFixture) -> PageContext {
        var context = fixture.context
        context.pageNumber = UInt64(index)
        return context
    }
}

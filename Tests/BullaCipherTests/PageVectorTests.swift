import BullaCipher
import BullaMemory
import CBullaCipher
import Testing

@Suite struct `A page of another implementation` {
    @Test func `opens, and a changed one does not`() throws {
        for vector in try VectorFile("sealed-pages").vectors {
            let page = Bytes(try vector.bytes("sealed"))
            let cipher = try self.cipher(for: vector, pageByteCount: page.count)
            let context = try self.context(of: vector)
            let outcome = cipher.outcome(of: page, context: context, check: check(in: page))
            #expect(outcome == PageOutcome(error: nil, content: try vector.bytes("content")))
            page[0] ^= 1
            #expect(
                cipher.outcome(of: page, context: context, check: check(in: page))
                    .isRefused(as: .badTag))
        }
    }

    @Test func `opens in one batch like ours, with one context used again and again`() throws {
        let vectors = try VectorFile("sealed-pages").vectors
        for vector in vectors {
            let page = Bytes(try vector.bytes("sealed"))
            let cipher = try self.cipher(for: vector, pageByteCount: page.count)
            let contents = (0..<5).map { _ in Bytes(count: cipher.contentByteCount) }
            var batch = OpenBatch()
            for content in contents {
                batch.append(
                    page: page.view, content: content.mutableView,
                    context: try context(of: vector), check: check(in: page))
            }
            try cipher.open(batch)
            let expected = try vector.bytes("content")
            #expect(contents.allSatisfy { $0.array == expected })
        }
    }

    @Test func `made of our nonce and one-shot GCM is our page, bit for bit`() throws {
        let key = pattern(64, from: 3)
        let fixture = try PageFixture(.aes256GCM, key: key, formatVersion: 0x0201)
        for _ in 0..<4 {
            let page = try fixture.seal().page
            let (nonce, tag, epoch) = trailer(of: page)
            let context = self.context(fixture.context, suite: .aes256GCM)
            let (status, sealed) = Primitives.gcmSeal(
                key: Array(key.prefix(32)), nonce: nonce, context: context,
                plaintext: fixture.content.array)
            #expect(status == BULLA_CIPHER_OK)
            #expect(sealed == page.array.prefix(fixture.cipher.contentByteCount) + tag)
            #expect(epoch == [3, 0, 0, 0])
        }
    }

    @Test func `made of our nonce, one-shot CTR and HMAC is our page, bit for bit`() throws {
        let key = pattern(64, from: 3)
        let fixture = try PageFixture(.aes256CTRHMACSHA256, key: key, formatVersion: 0x0201)
        for _ in 0..<4 {
            let page = try fixture.seal().page
            let (nonce, tag, _) = trailer(of: page)
            let (_, ciphertext) = Primitives.ctrApply(
                key: Array(key.prefix(32)), counter: nonce + [0, 0, 0, 0],
                input: fixture.content.array)
            #expect(ciphertext == Array(page.array.prefix(fixture.cipher.contentByteCount)))
            let parts = [
                Bytes(context(fixture.context, suite: .aes256CTRHMACSHA256)), Bytes(nonce),
                Bytes(ciphertext),
            ]
            let digest = try HMAC(key: Bytes(Array(key.suffix(32))).view).digest(
                of: parts.map(\.view))
            #expect(Array(digest.bytes.prefix(16)) == tag)
        }
    }

    private func cipher(for vector: Vector, pageByteCount: Int) throws -> PageCipher {
        let suite = try #require(Suite(rawValue: try vector.number("suite")))
        let file = FileIdentifier(Bytes(try vector.bytes("file")).view)
        let version: UInt16 = try vector.number("formatVersion")
        guard suite != .plain else {
            return try PageCipher(
                plain: file, formatVersion: version, pageByteCount: pageByteCount)
        }
        return try PageCipher(
            suite: suite, key: try SecretBytes(known: try vector.bytes("key")),
            fileIdentifier: file, formatVersion: version, pageByteCount: pageByteCount)
    }

    private func context(of vector: Vector) throws -> PageContext {
        PageContext(
            pageNumber: try vector.number("pageNumber"), birth: try vector.number("birth"),
            epoch: try vector.number("epoch"), kind: try vector.number("kind"))
    }

    private func trailer(of page: Bytes) -> (nonce: [UInt8], tag: [UInt8], epoch: [UInt8]) {
        let trailer = page.view.slice(page.count - 32, 32)
        func bytes(_ field: TrailerField) -> [UInt8] {
            trailer.slice(field.offset, field.byteCount).copied()
        }
        return (bytes(.nonce), bytes(.tag), bytes(.keyEpoch))
    }

    /// The bytes that the documentation of ``PageContext`` lists in a table, for the known file in
    /// format version 0x0201.
    private func context(_ context: PageContext, suite: Suite) -> [UInt8] {
        let bytes = Bytes(count: 40)
        FileIdentifier.known().store(in: bytes.mutableView, at: 0)
        bytes.mutableView.store(context.pageNumber, at: 16)
        bytes.mutableView.store(context.birth, at: 24)
        bytes.mutableView.store(context.epoch, at: 32)
        bytes.mutableView.store(context.kind, at: 36)
        bytes.mutableView.store(suite.rawValue, at: 37)
        bytes.mutableView.store(UInt16(0x0201), at: 38)
        return bytes.array
    }
}

package import BullaCipher
package import BullaMemory

/// Why bytes are not a header of this log.
///
/// A greater case tells more about the bytes.
package enum SegmentRefusal: Int, Comparable, Sendable {
    /// They lack a header's magic, because they are random bytes, or frames, or too few.
    case notAHeader
    /// They claim another format, suite or history.
    case foreign
    /// They claim to belong to this log, but are not what was written here: changed, moved, torn,
    /// or from another file or key.
    case damaged

    package static func < (one: SegmentRefusal, other: SegmentRefusal) -> Bool {
        one.rawValue < other.rawValue
    }
}

/// What was found where a segment may begin.
package enum SegmentFinding: Hashable, Sendable {
    /// The headers that the copies hold.
    ///
    /// There are two headers if the write of one over another was torn. Then the header with the
    /// higher sequence comes first, or, if the sequences are equal, the first copy. Frames tell
    /// which header is continued, because they open under the keys of only one.
    case headers([SegmentHeader])
    /// Neither copy is a header; of the two reasons, this is the one that tells more.
    case refused(SegmentRefusal)
}

/// Seals the headers of one log's segments, and opens them.
package struct SegmentSeal: Sendable {
    let identity: LogIdentity
    private let cipher: PageCipher

    /// - Parameter cipher: what ``LogIdentity/headerCipher(under:)`` returns.
    package init(_ identity: LogIdentity, _ cipher: PageCipher) {
        precondition(
            cipher.pageByteCount == SegmentField.sealedByteCount
                && cipher.suite == identity.suite, "it is a cipher of headers")
        self.identity = identity
        self.cipher = cipher
    }

    /// What one copy of a header is bound to.
    private func context(half: Int, segment: UInt64, copy: Int) -> PageContext {
        PageContext(
            pageNumber: segment, birth: UInt64(half), epoch: 0,
            kind: Self.kind + UInt8(copy))
    }

    /// The kind of a header's first copy: a number above all kinds of the file's pages.
    private static let kind: UInt8 = 0x10

    /// Writes one copy of a header.
    ///
    /// - Parameters:
    ///   - segment: where in its half the segment begins.
    ///   - bytes: ``SegmentField/byteCount`` bytes, private to the caller.
    package func write(
        _ header: SegmentHeader, segment: UInt64, copy: Int, into bytes: MutableByteView
    ) throws(BullaError) {
        precondition(0..<SegmentHeader.copyCount ~= copy, "there are two copies")
        precondition(segment % SegmentHeader.blockByteCount == 0, "a segment begins at a block")
        writeClaims(copy: copy, into: bytes)
        let half = LogPlace(sequence: header.sequence, offset: segment).half
        let page = bytes.slice(SegmentField.random.offset, SegmentField.sealedByteCount)
        let content = page.slice(0, SegmentField.contentByteCount)
        header.write(content)
        do throws(CipherError) {
            try cipher.seal(
                content.view, into: page,
                context: context(half: half, segment: segment, copy: copy))
        } catch { throw BullaError.cipher("seal a header of the log", error) }
    }

    private func writeClaims(copy: Int, into bytes: MutableByteView) {
        bytes.store(SegmentHeader.magic, at: SegmentField.magic.offset)
        bytes.store(PageFormat.version, at: SegmentField.formatVersion.offset)
        bytes.store(identity.suite.rawValue, at: SegmentField.suite.offset)
        bytes.store(UInt8(copy), at: SegmentField.copy.offset)
        bytes.store(UInt32(0), at: SegmentField.reserved.offset)
        identity.history.write(bytes, at: SegmentField.history.offset)
    }

    /// Reads both copies of a header, and trusts neither.
    ///
    /// - Parameters:
    ///   - copies: what the two places hold, private to the caller; fewer bytes than
    ///     ``SegmentField/byteCount`` are no header.
    ///   - half: which half of the log the segment is in.
    ///   - segment: where in the half the segment begins.
    package func find(
        _ copies: (ByteView, ByteView), half: Int, segment: UInt64
    ) throws(BullaError) -> SegmentFinding {
        let first = try read(copies.0, half: half, segment: segment, copy: 0)
        let second = try read(copies.1, half: half, segment: segment, copy: 1)
        switch (first, second) {
        case (.success(let one), .success(let other)):
            guard one != other else { return .headers([one]) }
            return .headers(one.sequence < other.sequence ? [other, one] : [one, other])
        case (.success(let header), .failure), (.failure, .success(let header)):
            return .headers([header])
        case (.failure(let one), .failure(let other)):
            return .refused(max(one.refusal, other.refusal))
        }
    }

    private struct Refused: Error { let refusal: SegmentRefusal }

    private func read(
        _ bytes: ByteView, half: Int, segment: UInt64, copy: Int
    ) throws(BullaError) -> Result<SegmentHeader, Refused> {
        if let refusal = refusal(of: bytes, copy: copy) {
            return .failure(Refused(refusal: refusal))
        }
        let page = bytes.slice(SegmentField.random.offset, SegmentField.sealedByteCount)
        let context = context(half: half, segment: segment, copy: copy)
        do throws(CipherError) {
            let header = try MutableByteView.withTemporary(
                byteCount: SegmentField.contentByteCount
            ) { content throws(CipherError) in
                try cipher.open(
                    page, into: content, context: context, check: PageCipher.check(of: page))
                return SegmentHeader(content.view, half: half)
            }
            return header.map { .success($0) } ?? .failure(Refused(refusal: .damaged))
        } catch {
            guard error.code == .badTag else {
                throw BullaError.cipher("open a header of the log", error)
            }
            return .failure(Refused(refusal: .damaged))
        }
    }

    /// Why a copy's claims alone rule the copy out; `nil` if they do not.
    private func refusal(of bytes: ByteView, copy: Int) -> SegmentRefusal? {
        guard bytes.byteCount >= SegmentField.byteCount,
            bytes.load(UInt64.self, at: SegmentField.magic.offset) == SegmentHeader.magic
        else { return .notAHeader }
        let version = bytes.load(UInt16.self, at: SegmentField.formatVersion.offset)
        let suite = bytes.load(UInt8.self, at: SegmentField.suite.offset)
        let history = Identifier(bytes, at: SegmentField.history.offset)
        guard version == PageFormat.version, suite == identity.suite.rawValue,
            history == identity.history
        else { return .foreign }
        let isInPlace = bytes.load(UInt8.self, at: SegmentField.copy.offset) == UInt8(copy)
        let isReservedZero = bytes.load(UInt32.self, at: SegmentField.reserved.offset) == 0
        return isInPlace && isReservedZero ? nil : .damaged
    }
}

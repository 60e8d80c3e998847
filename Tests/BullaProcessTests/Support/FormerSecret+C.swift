import Bulla
import BullaCipher
import BullaMemory
import CBullaCipher

/// A store's former master secret, kept by an attacker: it is tried on every part of a file, under
/// every key that derives from it, and for every place and time to which a part can be bound.
final class FormerSecret {
    /// What the secret opens in a file.
    struct Findings: Equatable {
        /// Pages that open in their places with their tags.
        var opened: Set<Int> = []
        /// Pages whose content shows when they are decrypted without a check of the tag.
        ///
        /// Such a decryption does not depend on what the page is bound to.
        var read: Set<Int> = []
        /// The offsets of whatever the secret authenticates: meta slots, keyrings, tables of key
        /// epochs.
        var authentic: Set<Int> = []
        /// The offsets of keyrings from which this secret decrypts its successor.
        var handovers: Set<Int> = []

        static let none = Findings()
    }

    let header: HeaderPage
    /// The newest commit that the file names.
    let record: CommitRecord
    private let master: Master
    private let firstEpoch: UInt32
    /// The buffer for the content of a page that opens.
    private let room: ScratchBuffer
    private let meta: HMAC
    private let histories: [[UInt8]]
    private var keys: [UInt32: [[UInt8]]] = [:]
    private var ciphers: [UInt32: [PageCipher]] = [:]

    /// - Parameters:
    ///   - file: the store as it was under the secret.
    ///   - userKey: the 64-byte key that opened it.
    convenience init(_ file: [UInt8], userKey: [UInt8]) throws {
        // SAFETY: integers may be read as bytes.
        let key = try UserKey(copying: unsafe userKey.span.bytes)
        let (header, secret, first) = try unsafe file.span.bytes.withView { file in
            try Self.secret(file, key)
        }
        let master = try Master(
            MasterSecret(
                copying: unsafe secret.span.bytes, fileIdentifier: header.fileIdentifier))
        let meta = try HMAC(key: master.secret.metaKey())
        let record = try unsafe file.span.bytes.withView { file in
            try Self.newest(file, header, meta)
        }
        try self.init(header, master, meta, record, UInt32(first))
    }

    private init(
        _ header: HeaderPage, _ master: Master, _ meta: HMAC, _ record: CommitRecord,
        _ firstEpoch: UInt32
    ) throws {
        self.firstEpoch = firstEpoch
        (self.header, self.master, self.meta, self.record) = (header, master, meta, record)
        histories = Set([record.keyHistory, record.history, record.parentHistory]).map(\.bytes)
        room = try Buffer.make(header.format.pageByteCount)
    }

    private static func secret(
        _ file: ByteView, _ key: UserKey
    ) throws -> (header: HeaderPage, secret: [UInt8], firstEpoch: UInt64) {
        let header = try HeaderPage.read(file, of: "the store")
        let copies = [0, PageFormat.copyDistance].map {
            file.slice(PageFormat.keyringOffset + $0, Keyring.copyByteCount)
        }
        let opened = try Keyring.open(
            copies: copies, userKey: key, fileIdentifier: header.fileIdentifier,
            headerDigest: header.digest)
        let first = opened.table.firstEpoch
        let secret = opened.takeMaster().withBytes { $0.withView { $0.copied() } }
        return (header, secret, first)
    }

    private static func newest(
        _ file: ByteView, _ header: HeaderPage, _ meta: HMAC
    ) throws -> CommitRecord {
        var newest: CommitRecord?
        for slot in 0..<MetaPage.slotCount {
            let bytes = file.slice(Int(MetaPage.offset(slot: slot)), MetaField.byteCount)
            let record = try MetaPage.read(bytes, slot: slot, header: header, hmac: meta)
            if let record, record.commit >= newest?.commit ?? 0 { newest = record }
        }
        guard let newest else { throw WorkerFailed() }
        return newest
    }

    /// A secret that can be shared.
    private final class Master: Sendable {
        let secret: MasterSecret
        init(_ secret: consuming MasterSecret) { self.secret = secret }
    }

    private var pageByteCount: Int { header.format.pageByteCount }

    /// Tries the secret on everything in a file.
    ///
    /// - Parameters:
    ///   - commits: the births to try when pages are opened with their tags; with `nil`, no page is
    ///     opened with its tag.
    func findings(in file: [UInt8], commits: ClosedRange<UInt64>?) throws -> Findings {
        // SAFETY: integers may be read as bytes.
        try unsafe file.span.bytes.withView { file in
            var findings = Findings()
            try tryRecords(file, &findings)
            let epochs = try epochs(in: file)
            for page in pages(of: file) {
                let bytes = self.page(page, of: file)
                if Self.isZeros(bytes) { continue }
                if try epochs.contains(where: { try reads(bytes, $0) }) {
                    findings.read.insert(page)
                }
                if let commits, try opens(bytes, page, commits) { findings.opened.insert(page) }
            }
            return findings
        }
    }

    /// The pages of a file that hold anything, except those of its log.
    func usedPages(of file: [UInt8]) -> Set<Int> {
        let log = Set(record.log.halves.flatMap { Int($0.start)..<Int($0.end) })
        // SAFETY: integers may be read as bytes.
        return unsafe file.span.bytes.withView { file in
            Set(pages(of: file).filter { !log.contains($0) && !Self.isZeros(page($0, of: file)) })
        }
    }

    private func pages(of file: ByteView) -> Range<Int> {
        Int(header.format.firstPage)..<file.byteCount / pageByteCount
    }

    private func page(_ number: Int, of file: ByteView) -> ByteView {
        file.slice(number * pageByteCount, pageByteCount)
    }

    private static func isZeros(_ bytes: ByteView) -> Bool {
        stride(from: 0, to: bytes.byteCount, by: 8).allSatisfy { offset in
            bytes.load(UInt64.self, at: offset) == 0
        }
    }

    /// Tries the secret on everything that is authenticated but is not a page, at each place where
    /// it can be.
    private func tryRecords(_ file: ByteView, _ findings: inout Findings) throws {
        for offset in stride(from: 0, through: file.byteCount - Keyring.copyByteCount, by: 4096) {
            let bytes = file.slice(offset, Keyring.copyByteCount)
            let table = try Keyring.table(
                of: bytes, under: master.secret, headerDigest: header.digest)
            let isKeyring = table != nil
            let isOther = try isMeta(bytes) || isEpochTable(bytes)
            if isKeyring || isOther { findings.authentic.insert(offset) }
            let claim = try Keyring.table(of: bytes)
            if try claim?.successor(of: master.secret, headerDigest: header.digest) != nil {
                findings.handovers.insert(offset)
            }
        }
    }

    private func isMeta(_ bytes: ByteView) throws -> Bool {
        try (0..<MetaPage.slotCount).contains { slot in
            try MetaPage.read(bytes, slot: slot, header: header, hmac: meta) != nil
        }
    }

    private func isEpochTable(_ bytes: ByteView) throws -> Bool {
        let count = bytes.load(UInt64.self, at: KeyEpochTableField.spanCount.offset)
        let head = KeyEpochTableField.byteCount
        guard count < 100 else { return false }
        // SAFETY: integers may be read as bytes.
        let sum = try unsafe header.digest.bytes.span.bytes.withView { digest in
            try meta.digest(
                of: [
                    digest, bytes.slice(0, KeyEpochTableField.authenticator.offset),
                    bytes.slice(head, Int(count) * 24),
                ])
        }
        return sum.equals(
            Digest(bytes.slice(KeyEpochTableField.authenticator.offset, Digest.byteCount)))
    }

    /// More key epochs than the tests' stores have, so a greater number is random, and not a page's
    /// key epoch.
    private static let epochLimit: UInt32 = 1000

    /// The key epochs of the secret, and the key epochs that pages claim to have; this also derives
    /// the keys of all these epochs.
    private func epochs(in file: ByteView) throws -> Set<UInt32> {
        var epochs = Set(firstEpoch...UInt32(record.keyEpoch))
        for page in pages(of: file) {
            let bytes = self.page(page, of: file)
            let claimed = PageCipher.epoch(of: bytes)
            if !Self.isZeros(bytes), claimed < Self.epochLimit { epochs.insert(claimed) }
        }
        // There are more than can exist, so somebody forged them.
        guard epochs.count < 100 else { throw WorkerFailed() }
        for epoch in epochs where keys[epoch] == nil {
            for history in histories {
                let key = try master.secret.dataKey(
                    epoch: epoch, suite: header.suite, history: history)
                keys[epoch, default: []].append(key.withView { $0.copied() })
                ciphers[epoch, default: []].append(
                    try PageCipher(
                        suite: header.suite, key: key, fileIdentifier: header.fileIdentifier,
                        formatVersion: PageFormat.version, pageByteCount: pageByteCount))
            }
        }
        return epochs
    }

    /// Whether a page opens in its place, whatever it is and whoever wrote it.
    private func opens(
        _ bytes: ByteView, _ page: Int, _ commits: ClosedRange<UInt64>
    ) throws -> Bool {
        let epoch = PageCipher.epoch(of: bytes)
        for cipher in ciphers[epoch] ?? [] {
            for birth in commits.reversed() {
                for kind in UInt8(1)...4 {
                    let context = PageContext(
                        pageNumber: UInt64(page), birth: birth, epoch: epoch, kind: kind)
                    if try isOpened(bytes, by: cipher, context) { return true }
                }
            }
        }
        return false
    }

    private func isOpened(
        _ bytes: ByteView, by cipher: PageCipher, _ context: PageContext
    ) throws(CipherError) -> Bool {
        let content = room.bytes.slice(0, header.format.contentByteCount)
        do throws(CipherError) {
            try cipher.open(
                bytes, into: content, context: context, check: PageCipher.check(of: bytes))
            return true
        } catch {
            guard error.code == .badTag else { throw error }
            return false
        }
    }

    /// Whether a page, decrypted under the keys of an epoch, has the form of a page's content.
    private func reads(_ bytes: ByteView, _ epoch: UInt32) throws -> Bool {
        let nonce = bytes.slice(header.format.contentByteCount, 12).copied()
        // SP 800-38D, 7.1: GCM begins with block 2; the other suite begins with block 0.
        let first: UInt8 = header.suite == .aes256GCM ? 2 : 0
        let counter: [UInt8] = nonce + [0, 0, 0, first]
        return try (keys[epoch] ?? []).contains { key in
            let begin = try [UInt8](byteCount: 32) { begin throws(CipherError) in
                // SAFETY: key and counter block have their lengths, and there is room for the
                // output.
                let status = unsafe bulla_ctr_apply(key, counter, bytes.base, 32, begin.base)
                guard status == BULLA_CIPHER_OK else { throw CipherError(.library) }
            }
            return Self.isContent(begin)
        }
    }

    /// Whether a page can begin with these bytes: the head of a tree's page or of an index page, or
    /// a value that repeats every eight bytes, like those of the test.
    private static func isContent(_ begin: [UInt8]) -> Bool {
        let word = Array(begin[0..<8])
        if word == Array(begin[8..<16]), word == Array(begin[16..<24]) { return true }
        let (kind, level) = (begin[0], begin[1])
        guard kind >= 1, kind <= 3, level <= 32 else { return false }
        let reserved: ArraySlice<UInt8> = kind == 3 ? begin[4..<16] : begin[10..<16]
        return reserved.allSatisfy { (byte: UInt8) in byte == 0 }
    }
}

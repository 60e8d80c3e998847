import BullaCipher
import BullaMemory
import Foundation
import Testing

@Suite struct `A secret` {
    @Test func `begins as zeros and keeps what is put in`() throws {
        var secret = try SecretBytes(byteCount: 5000)
        #expect(secret.revealed() == [UInt8](repeating: 0, count: 5000))
        let bytes = Bytes(pattern(5000))
        secret.withMutableView { $0.copy(bytes.view, to: 0) }
        #expect(secret.revealed() == pattern(5000))
    }

    @Test(arguments: [0, 32, 63, 65])
    func `of a user has 64 bytes and no other number`(byteCount: Int) {
        #expect(throws: CipherError(.badArgument)) {
            _ = try UserKey(known: pattern(byteCount))
        }
    }

    @Test func `is wiped as asked`() {
        #expect(Primitives.wiped(pattern(100)) == [UInt8](repeating: 0, count: 100))
    }

    @Test func `is left out of core dumps and of children`() throws {
        let secret = try SecretBytes(known: pattern(64))
        let address = secret.withView { unsafe UInt(bitPattern: $0.base) }
        #expect(secret.revealed() == pattern(64))
        let flags = try #require(try Mapping.all().first { $0.range.contains(address) }?.flags)
        // Excluded from dumps, not copied to children, locked.
        for flag in ["dd", "dc", "lo"] { #expect(flags.contains(Substring(flag))) }
        _ = consume secret
    }

    @Test func `is not there in a child, and nothing takes it there`() async {
        await #expect(processExitsWith: .success) {
            let secret = try SecretBytes(known: pattern(64))
            let user = try UserKey(known: pattern(64))
            let master = try MasterSecret.random(for: .known())
            let cipher = try PageFixture(.aes256GCM).cipher
            let status = try Child.exitStatus {
                guard !secret.isIntact, secret.revealed().isEmpty else { return 1 }
                // This must be harmless in the child.
                secret.wipe()
                guard user.withBytes({ $0.byteCount }) == 0, Child.isRefused(user, master) else {
                    return 2
                }
                let page = Bytes(count: 4096)
                let outcome = cipher.outcome(
                    of: page, context: PageContext(pageNumber: 1, birth: 1, epoch: 0, kind: 1),
                    check: 0)
                return outcome.error == .memory ? 0 : 3
            }
            exit(secret.isIntact && secret.revealed() == pattern(64) ? status : 4)
        }
    }

    @Test func `ends in a child without harm, which has secrets of its own`() async {
        await #expect(processExitsWith: .success) {
            var inherited: SecretOwner? = try SecretOwner(pattern(64))
            let other = try SecretBytes(known: pattern(64, from: 1))
            let parents = SecretArena.statistics
            let status = try Child.exitStatus {
                inherited = nil
                guard SecretArena.statistics == SecretStatistics() else { return 1 }
                guard let own = try? SecretBytes(known: pattern(64, from: 2)), own.isIntact,
                    own.revealed() == pattern(64, from: 2)
                else { return 2 }
                guard SecretArena.statistics.secretCount == 1 else { return 3 }
                // A child of the child has neither secret.
                let status = try? Child.exitStatus { own.isIntact || other.isIntact ? 5 : 0 }
                return status ?? 4
            }
            // Read the statistics first, because a secret ends with its last use.
            let isUnchanged = SecretArena.statistics == parents
            let isUnharmed = inherited?.isIntact == true && other.revealed() == pattern(64, from: 1)
            exit(isUnchanged && isUnharmed ? status : 6)
        }
    }

    @Test func `can be had in a child that was made while others took theirs`() async {
        await #expect(processExitsWith: .success) {
            let takers = (0..<2).map { _ in
                Thread { while true { _ = try? SecretBytes(byteCount: 100) } }
            }
            for taker in takers { taker.start() }
            for _ in 0..<200 {
                // A lock held by a thread of the parent would block the child forever.
                let status = try Child.exitStatus {
                    (try? SecretBytes(byteCount: 64))?.isIntact == true ? 0 : 1
                }
                guard status == 0 else { exit(status) }
            }
            exit(0)
        }
    }

    @Test(arguments: [false, true])
    func `in a region is wiped where it lies, locked or not`(isLocked: Bool) throws {
        let region = try AnonymousRegion(byteCount: 3 * machinePageByteCount)
        let bytes = region.bytes
        // SAFETY: the range is the whole region.
        if isLocked { #expect(unsafe mlock(bytes.base, bytes.byteCount) == 0) }
        bytes.fill(0, bytes.byteCount, with: 7)
        region.wipe()
        #expect(bytes.view.copied() == [UInt8](repeating: 0, count: bytes.byteCount))
    }

    @Test func `gives its memory back`() async {
        await #expect(processExitsWith: .success) {
            let first = try SecretBytes(known: pattern(64))
            let before = try Mapping.secretByteCount()
            #expect(before == SecretArena.blockByteCount)
            for _ in 0..<1000 { _ = try SecretBytes(known: pattern(64)) }
            for _ in 0..<10 { _ = try SecretBytes(byteCount: 1 << 20) }
            let isIntact = first.isIntact
            #expect(isIntact)
            #expect(try Mapping.secretByteCount() == before)
        }
    }

    @Test func `is nowhere in memory once its owners are gone`() async {
        await #expect(processExitsWith: .success) {
            // Without this, the search could not read the memory in which the key was.
            SecretMemory.mayHide = false
            let mask: UInt8 = 0x5a
            let hidden = try sealWithFreshKey(hiddenBy: mask)
            // The search must find living bytes; otherwise finding nothing proves nothing.
            let alive = Bytes(pattern(32, from: 66))
            let hiddenAlive = alive.array.map { $0 ^ mask }
            #expect(try Mapping.occurrences(of: hiddenAlive, hiddenBy: mask) > 0)
            #expect(alive.count == 32)
            for start in stride(from: 0, to: hidden.count, by: 32) {
                let key = Array(hidden[start..<start + 32])
                #expect(try Mapping.occurrences(of: key, hiddenBy: mask) == 0)
            }
        }
    }
}

/// Seals and opens a page and a frame with each suite under new keys; returns the keys, masked.
@inline(never)
private func sealWithFreshKey(hiddenBy mask: UInt8) throws -> [UInt8] {
    var secret = try SecretBytes(byteCount: 64)
    try secret.withMutableView { view throws(CipherError) in try KernelRandom.fill(view) }
    var frameSecret = try SecretBytes(byteCount: 96)
    try frameSecret.withMutableView { view throws(CipherError) in try KernelRandom.fill(view) }
    for suite in [Suite.aes256GCM, .aes256CTRHMACSHA256] {
        let cipher = try PageCipher(
            suite: suite, key: secret, fileIdentifier: .known(), formatVersion: 1,
            pageByteCount: 4096)
        let page = Bytes(count: 4096)
        let content = Bytes(pattern(4064))
        let context = PageContext(pageNumber: 1, birth: 1, epoch: 1, kind: 1)
        var batch = SealBatch()
        batch.append(content: content.view, sealed: page.mutableView, context: context)
        try cipher.seal(&batch)
        try cipher.open(
            page.view, into: content.mutableView, context: context, check: batch.check(at: 0))
        try sealFrame(suite, frameSecret)
    }
    return secret.masked(by: mask) + frameSecret.masked(by: mask)
}

/// Seals and opens a frame.
private func sealFrame(_ suite: Suite, _ key: borrowing SecretBytes) throws {
    let cipher = try FrameCipher(
        suite: suite, key: key, fileIdentifier: .known(), formatVersion: 1)
    let content = Bytes(pattern(100))
    let frame = Bytes(count: 100 + FrameField.extraByteCount)
    let context = FrameContext(sequence: 1, offset: 1, previous: .none, kind: 1)
    _ = try cipher.seal(content.view, context: context, into: frame.mutableView)
    try cipher.open(frame.view, context: context, into: content.mutableView)
}

extension SecretBytes {
    fileprivate borrowing func masked(by mask: UInt8) -> [UInt8] {
        withView { view in
            (0..<view.byteCount).map { view.load(UInt8.self, at: $0) ^ mask }
        }
    }
}

/// A range of this process's addresses, as listed by the kernel.
struct Mapping {
    var range: Range<UInt>
    var isWritable: Bool
    var flags: [Substring] = []

    static func all() throws -> [Mapping] {
        var mappings: [Mapping] = []
        // Read the file to its end, because the kernel returns such a file in pieces, and gives its
        // length as zero.
        let file = try #require(FileHandle(forReadingAtPath: "/proc/self/smaps"))
        let text = String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
        for line in text.split(separator: "\n") {
            if line.hasPrefix("VmFlags:") {
                mappings[mappings.count - 1].flags = line.split(separator: " ")
            } else if let mapping = Mapping(line) {
                mappings.append(mapping)
            }
        }
        return mappings
    }

    /// How many bytes are mapped with the flags that secrets have.
    static func secretByteCount() throws -> Int {
        try all().filter { $0.flags.contains("dd") && $0.flags.contains("dc") }
            .reduce(0) { $0 + $1.range.count }
    }

    private init?(_ line: Substring) {
        let words = line.split(separator: " ")
        let ends = words[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
        guard ends.count == 2, words.count > 1, !words[0].hasSuffix(":") else { return nil }
        range = ends[0]..<ends[1]
        isWritable = words[1].hasPrefix("rw")
    }

    /// How many times the bytes occur in writable memory; the caller gives them masked.
    ///
    /// Mappings larger than any heap here are left out, because a sanitizer reserves terabytes.
    static func occurrences(of hidden: [UInt8], hiddenBy mask: UInt8) throws -> Int {
        try all().filter { $0.isWritable && $0.range.count < 1 << 28 }
            .reduce(0) { $0 + occurrences(of: hidden, hiddenBy: mask, in: $1.bytes()) }
    }

    /// The present content of the range, as far as it can be read.
    ///
    /// It reads through a file, which a sanitizer allows; if the range is gone, the read fails
    /// without a crash.
    private func bytes() -> [UInt8] {
        let memory = unsafe open("/proc/self/mem", O_RDONLY | O_CLOEXEC)
        defer { close(memory) }
        return unsafe [UInt8](unsafeUninitializedCapacity: range.count) { buffer, count in
            // SAFETY: the call writes at most as many bytes as the buffer holds.
            count = unsafe max(
                0, pread(memory, buffer.baseAddress, range.count, off_t(range.lowerBound)))
        }
    }

    private static func occurrences(
        of hidden: [UInt8], hiddenBy mask: UInt8, in bytes: [UInt8]
    ) -> Int {
        let first = hidden[0] ^ mask
        var count = 0
        for start in 0..<max(0, bytes.count - hidden.count + 1) where bytes[start] == first {
            let isThere = hidden.indices.allSatisfy { bytes[start + $0] == hidden[$0] ^ mask }
            if isThere { count += 1 }
        }
        return count
    }
}

/// A secret that can be released.
private final class SecretOwner {
    private let secret: SecretBytes
    init(_ bytes: [UInt8]) throws { secret = try SecretBytes(known: bytes) }
    var isIntact: Bool { secret.isIntact }
}

/// A process made by `fork`; Swift hides that function, because few actions are allowed in the
/// child.
enum Child {
    /// Whether every use of the parent's keys is refused.
    fileprivate static func isRefused(
        _ user: UserKey, _ master: borrowing MasterSecret
    ) -> Bool {
        do throws(CipherError) {
            _ = try master.metaKey()
            return false
        } catch { guard error == CipherError(.memory) else { return false } }
        do throws(CipherError) {
            let digest = try KeyDerivation.sha256(Bytes(count: 1).view)
            _ = try Keyring.seal(master, userKey: user, headerDigest: digest, generation: 1)
            return false
        } catch { return error == CipherError(.memory) }
    }

    static func exitStatus(_ body: () -> Int32) throws -> Int32 {
        let symbol = unsafe try #require(dlsym(nil, "fork"))
        // SAFETY: the type is the signature that POSIX specifies.
        let fork = unsafe unsafeBitCast(symbol, to: (@convention(c) () -> pid_t).self)
        let child = fork()
        if child == 0 { _exit(body()) }
        var status: Int32 = 0
        unsafe waitpid(child, &status, 0)
        return status >> 8 & 0xff
    }
}

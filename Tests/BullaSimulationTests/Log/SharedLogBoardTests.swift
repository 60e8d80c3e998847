import Bulla
import BullaCipher
import BullaMemory
import BullaSimulation
import BullaTestSupport
import Testing

@Suite struct `The board of a shared log` {
    private typealias Word = SharedLogBench.Word
    private static func bytes(_ byte: UInt8) -> [UInt8] { SharedLogBench.bytes(byte) }

    @Test(arguments: StoreKind.allCases, [UInt64(0), 3, 1 << 40, .max])
    func `announces by a word that costs a look when it is false`(
        kind: StoreKind, word: UInt64
    ) throws {
        let bench = try SharedLogBench(kind)
        let members = try bench.open(2)
        for number in 1...4 {
            try members[number % 2].put(Self.bytes(UInt8(number)))
            try bench.write(word, at: Word.announced)
        }
        try bench.write(word, at: Word.announced)
        let commit = try members[0].keep(Self.bytes(5))
        #expect(commit == 6)
        try bench.write(word, at: Word.announced)
        #expect(try members[1].known().count == 5)
        let known = try members[0].known()
        #expect(try bench.valuesAfter(.nothing) == known)
    }

    @Test(arguments: StoreKind.encrypted)
    func `is believed in nothing that does not verify`(kind: StoreKind) throws {
        let bench = try SharedLogBench(kind)
        let members = try bench.open(2)
        try members[0].keep(Self.bytes(1))
        for offset in Word.cells where offset % 512 < 200 {
            let byte = try bench.worldBytes(offset..<offset + 1)[0]
            try bench.disk.overwrite(
                SharedLogBench.world, with: [byte ^ 1], at: UInt64(offset))
        }
        // One process has seen the record before, and need not read it again.
        #expect(try members[0].log.durableCommit() == 2)
        #expect(throws: BullaError.self) { try members[1].log.durableCommit() }
        #expect(throws: BullaError.self) { try bench.open() }
    }

    @Test(arguments: StoreKind.allCases)
    func `refuses a record older than one that was seen`(kind: StoreKind) throws {
        let bench = try SharedLogBench(kind)
        let members = try bench.open(2)
        let cells = try bench.worldBytes(Word.cells)
        let flushes = try bench.worldBytes(896..<904)
        try members[0].keep(Self.bytes(1))
        try members[1].log.follow()
        try bench.disk.overwrite(
            SharedLogBench.world, with: cells, at: UInt64(Word.cells.lowerBound))
        try bench.disk.overwrite(SharedLogBench.world, with: flushes, at: Word.flushes)
        for member in members {
            #expect(throws: BullaError.self) { try member.keep(Self.bytes(2)) }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `with a record older than a mark is refused by those that join`(kind: StoreKind) throws {
        let bench = try SharedLogBench(kind)
        let first = try bench.open()
        let cells = try bench.worldBytes(Word.cells)
        let flushes = try bench.worldBytes(896..<904)
        bench.clock.go(.seconds(2))
        try first.keep(Self.bytes(1))
        try bench.disk.overwrite(
            SharedLogBench.world, with: cells, at: UInt64(Word.cells.lowerBound))
        try bench.disk.overwrite(SharedLogBench.world, with: flushes, at: Word.flushes)
        #expect(throws: BullaError.self) { try bench.open() }
    }

    @Test func `is refused with a commit that the log has not`() throws {
        let bench = try SharedLogBench(.gcm)
        // A copy of the file goes its own way; then its log replaces the original's.
        let copy = try SharedLogBench(bench.site, DiskReplay.now(bench.disk))
        try bench.open().keep(Self.bytes(1))
        try copy.open().keep(Self.bytes(2))
        let start = PageFormat.preambleByteCount
        let bytes = try copy.bytes(of: SharedLogBench.path, start..<start + 8192)
        try bench.disk.overwrite(SharedLogBench.path, with: bytes, at: UInt64(start))
        #expect(throws: BullaError.self) { try bench.open() }
    }

    @Test func `raises the word of a leader that died before it did`() throws {
        let bench = try SharedLogBench(.gcm)
        let members = try bench.open(2)
        let flushes = try bench.worldBytes(896..<904)
        try members[0].keep(Self.bytes(1))
        try bench.disk.overwrite(SharedLogBench.world, with: flushes, at: Word.flushes)
        let late = try bench.open()
        #expect(try late.log.durableCommit() == 2)
    }

    /// A plain store's record is not authenticated.
    ///
    /// - Parameters:
    ///   - place: the claimed end of the durable commit.
    ///   - count: how many commits follow; 20 reach the other half.
    @Test(arguments: [
        (LogPlace(sequence: 3, offset: 5000), 0), (LogPlace(sequence: .max, offset: 5000), 0),
        (LogPlace(sequence: 0, offset: 40_000), 0), (LogPlace(sequence: 0, offset: .max), 0),
        (LogPlace(sequence: 0, offset: 1 << 40), 20),
    ])
    func `lets no leader flush from an invalid place`(place: LogPlace, count: Int) throws {
        let bench = try SharedLogBench(.plain)
        let members = try bench.open(2)
        try members[0].keep(Self.bytes(1))
        try bench.forgeDurable(endingAt: place)
        for _ in 0..<count { try members[0].put(SharedLogBench.bytes(2, 3000)) }
        for member in members {
            let error = #expect(throws: BullaError.self) { try member.keep(Self.bytes(3)) }
            #expect(error?.code == .corrupted)
            #expect(!member.isPoisoned)
        }
    }
}

@Suite struct `Marks of a shared log` {
    private static func bytes(_ byte: UInt8) -> [UInt8] { SharedLogBench.bytes(byte) }

    /// How many marks were written after the first `count` events.
    private static func markCount(_ bench: SharedLogBench, since count: Int) -> Int {
        bench.disk.history[count...].count { event in
            guard case .write(_, let offset, _) = event else { return false }
            return [LogMarks.offset(slot: 0), LogMarks.offset(slot: 1)].contains(offset)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `are made by a flush, at most once a second`(kind: StoreKind) throws {
        let bench = try SharedLogBench(kind)
        let member = try bench.open()
        let start = bench.disk.eventCount
        for _ in 0..<3 { try member.keep(Self.bytes(1)) }
        #expect(Self.markCount(bench, since: start) == 0)
        bench.clock.go(.milliseconds(1100))
        let second = bench.disk.eventCount
        try member.keep(Self.bytes(1))
        let count = Self.markCount(bench, since: second)
        #expect(count > 0)
        for _ in 0..<3 { try member.keep(Self.bytes(1)) }
        #expect(Self.markCount(bench, since: second) == count)
    }

    @Test(arguments: StoreKind.allCases)
    func `are made when nobody has flushed for half a second`(kind: StoreKind) throws {
        let bench = try SharedLogBench(kind)
        let members = try bench.open(2)
        try members[0].keep(Self.bytes(1))
        let start = bench.disk.eventCount
        for member in members { try member.log.markIfIdle() }
        bench.clock.go(.milliseconds(400))
        for member in members { try member.log.markIfIdle() }
        #expect(Self.markCount(bench, since: start) == 0)
        bench.clock.go(.milliseconds(200))
        for member in members { try member.log.markIfIdle() }
        let count = Self.markCount(bench, since: start)
        #expect(count > 0)
        bench.clock.go(.seconds(5))
        for member in members { try member.log.markIfIdle() }
        #expect(Self.markCount(bench, since: start) == count, "what is marked is not marked again")
    }

    @Test(arguments: StoreKind.allCases)
    func `let recovery tell that the log was cut short`(kind: StoreKind) throws {
        let bench = try SharedLogBench(kind)
        let member = try bench.open()
        bench.clock.go(.seconds(2))
        try member.keep(Self.bytes(1))
        let other = try SharedLogBench(bench.site, bench.cutImage())
        #expect(throws: BullaError.self) { try other.open() }
    }

    @Test func `that cannot be flushed poison the log`() throws {
        let bench = try SharedLogBench(.gcm)
        let members = try bench.open(2)
        bench.clock.go(.seconds(2))
        bench.disk.add(DiskFault(.flushRange, .error(5), after: 2))
        #expect(throws: BullaError.self) { try members[0].keep(Self.bytes(1)) }
        #expect(members[1].isPoisoned)
    }
}

extension SharedLogBench {
    /// Forges a record with a correct checksum, as an outsider can in a plain store: the same
    /// commit is durable, but ends elsewhere.
    fileprivate func forgeDurable(endingAt place: LogPlace) throws {
        let word = Int(Word.flushes)
        let former = try worldBytes(word..<word + 8).load(UInt64.self, at: 0)
        let (contentCount, flush) = (CommitField.byteCount, former + 1)
        func cell(_ flush: UInt64) -> Int { Word.cells.lowerBound + Int(flush % 2) * 512 }
        var content = try worldBytes(cell(former)..<cell(former) + contentCount)
        content.store(flush, at: 0)
        content.store(place.sequence, at: 24)
        content.store(place.offset, at: 32)
        let sealedCount = contentCount + TrailerField.totalByteCount
        let cipher = try PageCipher(
            plain: site.header.fileIdentifier, formatVersion: PageFormat.version,
            pageByteCount: sealedCount)
        let context = PageContext(pageNumber: 2, birth: flush, epoch: 0, kind: 0)
        let sealed = try content.withView { content throws(CipherError) in
            try [UInt8](byteCount: sealedCount) { page throws(CipherError) in
                try cipher.seal(content, into: page, context: context)
            }
        }
        try disk.overwrite(Self.world, with: sealed, at: UInt64(cell(flush)))
        try write(flush, at: UInt64(cell(flush) + 504))
        try write(flush, at: Word.flushes)
    }

    /// What a power cut leaves if the log's first blocks are overwritten.
    fileprivate func cutImage() throws -> DiskImage {
        var replay = DiskReplay(from: disk.base)
        for event in disk.history { replay.apply(event) }
        let log = UInt64(PageFormat.preambleByteCount)
        let number = replay.crashed(.nothing).names[Self.path] ?? 0
        replay.apply(
            .write(file: number, offset: log, bytes: [UInt8](repeating: 7, count: 8192)))
        return replay.crashed(.everything)
    }
}

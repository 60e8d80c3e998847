import BullaBenchKit
import Foundation
import Glibc
import Testing

@Suite struct `What a process uses` {
    private static let status = "Name:\tx\nVmHWM:\t    2048 kB\nVmRSS:\t    1024 kB\n"
    private static let rollup = """
        555f83723000-7ffee5309000 ---p 00000000 00:00 0                          [rollup]
        Rss:                1024 kB
        Pss:                 240 kB
        Pss_Dirty:           112 kB
        Shared_Clean:        500 kB
        Shared_Dirty:         20 kB
        Private_Clean:        40 kB
        Private_Dirty:       112 kB
        Private_Hugetlb:      48 kB
        """
    private static let io = "rchar: 6976\nwrite_bytes: 8192\ncancelled_write_bytes: 4096\n"

    @Test func `is read from what the kernel tells`() {
        let use = Self.use(2)
        #expect(use.peakResidentByteCount == 2 << 20)
        #expect(use.residentByteCount == 1 << 20)
        #expect(use.proportionalByteCount == 240 << 10)
        #expect(use.sharedByteCount == 520 << 10)
        #expect(use.privateByteCount == 200 << 10)
        #expect(use.writtenByteCount == 8_192)
        #expect(use.cpuSeconds == 3)
        #expect(use.minorFaultCount == 20)
    }

    @Test func `is not known where the kernel does not tell it`() {
        let use = ResourceUse(status: Self.status, rollup: nil, io: "", counts: .init())
        #expect(use.privateByteCount == nil)
        #expect(use.writtenByteCount == nil)
        let sum = ResourceUse.together([Self.use(1), use])
        #expect(sum.privateByteCount == nil)
        #expect(sum.residentByteCount == 2 << 20)
    }

    @Test func `between two readings is what was counted, and the memory of the later one`() {
        let change = Self.use(5).since(Self.use(2))
        #expect(change.userSeconds == 3)
        #expect(change.systemSeconds == 1.5)
        #expect(change.voluntarySwitchCount == 9)
        #expect(change.involuntarySwitchCount == 12)
        #expect(change.minorFaultCount == 30)
        #expect(change.majorFaultCount == 3)
        #expect(change.writtenByteCount == 0)
        #expect(change.residentByteCount == 1 << 20)
    }

    @Test func `adds up over processes`() {
        let sum = ResourceUse.together([Self.use(1), Self.use(2), Self.use(3)])
        #expect(sum.userSeconds == 6)
        #expect(sum.majorFaultCount == 6)
        #expect(sum.peakResidentByteCount == 6 << 20)
        #expect(sum.proportionalByteCount == 720 << 10)
        #expect(sum.writtenByteCount == 3 * 8_192)
        #expect(ResourceUse.together([]) == .nothing)
        #expect(ResourceUse.together([.nothing, Self.use(1)]).cpuSeconds == 1.5)
    }

    /// A reading with counts of so many units.
    private static func use(_ units: Int) -> ResourceUse {
        var counts = ResourceUse.Counts()
        counts.userSeconds = Double(units)
        counts.systemSeconds = Double(units) / 2
        counts.voluntarySwitchCount = 3 * units
        counts.involuntarySwitchCount = 4 * units
        counts.minorFaultCount = 10 * units
        counts.majorFaultCount = units
        return ResourceUse(status: status, rollup: rollup, io: io, counts: counts)
    }

    /// In a process of its own, so that nothing else that runs here is charged to it.
    ///
    /// By half at least: the kernel counts in batches for each core, and takes pages of programs
    /// back where memory is short.
    @Test func `grows by what the process touches`() async {
        await #expect(processExitsWith: .success) {
            let byteCount = 64 << 20
            let before = ResourceUse.now()
            let bytes = [UInt8](repeating: 1, count: byteCount)
            let after = ResourceUse.now()
            #expect(bytes.count == byteCount)
            #expect(after.residentByteCount - before.residentByteCount > byteCount / 2)
            #expect(after.peakResidentByteCount >= after.residentByteCount)
            #expect(after.cpuSeconds >= before.cpuSeconds)
            #expect(after.since(before).minorFaultCount > 0)
            // Where the kernel tells of it, what is touched here is nobody else's.
            if let isPrivate = after.privateByteCount {
                #expect(isPrivate - (before.privateByteCount ?? 0) > byteCount / 2)
            }
        }
    }
}

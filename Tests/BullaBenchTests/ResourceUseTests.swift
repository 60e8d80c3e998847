import BullaBenchKit
import BullaText
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
        let use = Self.use(faultCount: 2)
        #expect(use.peakResidentByteCount == 2 << 20)
        #expect(ResourceUse.sharedByteCount(Self.system) == 520 << 10)
        #expect(use.writtenByteCount == 8_192)
        #expect(use.faultCount == 2)
    }

    @Test func `is not known where the kernel does not tell it`() {
        let system = SystemText { $0.hasSuffix("status") ? Self.status : nil }
        let use = ResourceUse(system, faultCount: 1)
        #expect(use.peakResidentByteCount == 2 << 20)
        #expect(ResourceUse.sharedByteCount(system) == nil)
        #expect(use.writtenByteCount == nil)
        #expect(Self.use(faultCount: 1).since(use).writtenByteCount == nil)
    }

    @Test func `between two readings is what was counted, and the memory of the later one`() {
        let change = Self.use(faultCount: 5).since(Self.use(faultCount: 2))
        #expect(change.faultCount == 3)
        #expect(change.writtenByteCount == 0)
        #expect(change.peakResidentByteCount == 2 << 20)
    }

    private static let system = SystemText { path in
        let texts = ["status": status, "smaps_rollup": rollup, "io": io]
        return texts.first { path == "/proc/self/\($0.key)" }?.value
    }

    private static func use(faultCount: Int) -> ResourceUse {
        ResourceUse(system, faultCount: faultCount)
    }

    /// Runs in a process of its own, so that nothing else that runs here is charged to it.
    ///
    /// It expects only half the growth, because the kernel counts in batches for each core, and
    /// reclaims pages of programs when memory is short.
    @Test func `grows by what the process touches`() async {
        await #expect(processExitsWith: .success) {
            let byteCount = 64 << 20
            let before = ResourceUse.now()
            let bytes = [UInt8](repeating: 1, count: byteCount)
            let after = ResourceUse.now()
            #expect(bytes.count == byteCount)
            #expect(after.peakResidentByteCount - before.peakResidentByteCount > byteCount / 2)
            #expect(after.faultCount > before.faultCount)
        }
    }
}

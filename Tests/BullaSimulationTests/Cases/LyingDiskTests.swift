import Bulla
import BullaMemory
import BullaSimulation
import BullaTestSupport
import Testing

/// Writes that were acknowledged, but are not where they should be.
@Suite struct `A disk that lies` {
    private static let writeCount = TestMode.pick(short: 6, long: 60)

    private static let configurations = [
        Configuration.usual, Configuration(suite: .aes256CTRHMACSHA256, pageByteCount: 4096),
        Configuration(suite: nil, pageByteCount: 4096),
    ]

    @Test(
        "10. A lost write gives an error that names its page, or the right data",
        arguments: configurations)
    func lost(configuration: Configuration) throws {
        try sweep(configuration, .lost)
    }

    @Test(
        "10. A misdirected write gives an error that names its page, or the right data",
        arguments: configurations, [-4096, 4096, 8192] as [Int64])
    func misdirected(configuration: Configuration, distance: Int64) throws {
        try sweep(configuration, .misdirected(distance))
    }

    private func sweep(_ configuration: Configuration, _ effect: DiskFault.Effect) throws {
        var refusalCount = 0
        for count in 0..<Self.writeCount {
            let isPlain = configuration.suite == nil
            let fault = DiskFault(
                .write, effect, after: isPlain ? count % 2 : count, nameEnd: ".bulla",
                fromOffset: UInt64(PageFormat.preambleByteCount))
            try Finding.within("write \(count)") {
                refusalCount += try strike(configuration, fault, seed: UInt64(count + 1))
            }
        }
        // If nothing was refused, nothing was checked.
        #expect(refusalCount > 0)
    }

    /// The number of reads that were refused because of the fault.
    private func strike(
        _ configuration: Configuration, _ fault: DiskFault, seed: UInt64
    ) throws -> Int {
        var session = Session(configuration, try SimulatedDisk(), seed: seed)
        defer { session.end() }
        // Do enough for pages to be reused, so that a lost write leaves a page that looks whole.
        try session.work(steps: 30)
        session.disk.add(fault)
        do {
            // A plain store does not verify again what it has written itself, so it must be closed
            // before it reads.
            let count = configuration.suite == nil ? 1 : 4
            for _ in 0..<count { try session.transaction(0, .full) }
            try session.closeAll()
            session.disk.clearFaults()
            try session.openAgain()
            return try session.readAll()
        } catch let error as BullaError {
            // The fault was found while writing or opening.
            try session.expectDamage(error)
            return 1
        }
    }
}

import Bulla
import BullaSimulation
import BullaTestSupport
import Testing

/// A process dies during a checkpoint while another has the store open: the other finishes it or
/// begins it again, and a later power cut leaves everything that was acknowledged.
@Suite struct `A checkpoint whose process dies` {
    private static let plan = Explorer.Plan(
        cutLimit: TestMode.pick(short: 30, long: 200), sampleCount: 2)

    @Test(arguments: DyingCheckpoint.configurations, [DiskCall.write, .flush])
    func `after a write or a flush is taken over by another`(
        configuration: Configuration, call: DiskCall
    ) throws {
        var count = 0
        var isStruck = true
        while isStruck {
            isStruck = try Finding.within("\(call.rawValue) \(count)") {
                let fault = DiskFault(call, .kill(isBefore: count % 2 == 0), after: count)
                return try DyingCheckpoint.ofPages.explore(
                    fault, configuration, seed: UInt64(count) + 1, Self.plan) != nil
            }
            count += 1
        }
        #expect(count > 3)
    }

    #if BULLA_CHECKS
    @Test func `is found out where its slot is written over by the next one`() {
        let isFound = (0..<40).contains { number in
            let fault = DiskFault(.flush, .kill(isBefore: false), after: number % 4)
            let result = PlantedBug.$current.withValue(.newerSlotIgnored) {
                Result {
                    try DyingCheckpoint.ofPages.explore(
                        fault, DyingCheckpoint.configurations[number % 2],
                        seed: UInt64(number) + 1, Self.plan)
                }
            }
            if case .failure = result { return true }
            return false
        }
        #expect(isFound)
    }
    #endif
}

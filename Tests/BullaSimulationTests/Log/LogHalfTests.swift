import Bulla
import BullaSimulation
import BullaTestSupport
import Testing

@Suite struct `A half of a log` {
    /// An attacker who writes a plain store's coordination file can name any place.
    @Test(arguments: StoreKind.allCases)
    func `is never taken to be shorter than it was`(kind: StoreKind) throws {
        let scene = try LogScene(kind)
        let process = SimulatedProcess(try SimulatedDisk())
        try scene.make(process)
        let log = scene.log(try process.open(LogScene.path, .writing))
        let byteCount = log.byteCount(0)
        let (first, second) = (PageRun(start: 100, count: 12), PageRun(start: 200, count: 12))
        let short = PageRun(start: 300, count: 11)
        for extent in [LogExtent(even: short, odd: second), LogExtent(even: first, odd: short)] {
            #expect(refusal { try log.use(extent, of: 5) }?.code == .corrupted)
            #expect(log.byteCount(0) == byteCount && log.byteCount(1) == byteCount)
        }
        try log.use(LogExtent(even: first, odd: PageRun(start: 400, count: 24)), of: 5)
        #expect(log.byteCount(0) == byteCount && log.byteCount(1) == 2 * byteCount)
    }
}

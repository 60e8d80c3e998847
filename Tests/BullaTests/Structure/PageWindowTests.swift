import Bulla
import BullaTestSupport
import Testing

@Suite struct `A window of free pages` {
    @Test func `gives back the runs that it was made of`() {
        var random = TestRandom(seed: 3)
        for _ in 0..<500 {
            let start = UInt64(16 + random.below(1000))
            let numbers = (0..<64).filter { $0 == 0 || random.isOne(in: 3) }
            let runs = PageRun.runs(of: numbers.map { start + UInt64($0) })
            let window = PageWindow(runs.shuffled(using: &random))
            #expect(window.runs == runs)
            #expect(window.run == runs[0])
            #expect(window.pageCount == UInt64(numbers.count))
            let end = start + UInt64(numbers[numbers.count - 1]) + 1
            #expect(window.isPlausible(in: start..<end))
            #expect(!window.isPlausible(in: start..<end - 1))
            #expect(!window.isPlausible(in: start + 1..<end))
        }
    }

    @Test(arguments: [1, 63, 64, 65, 10_000])
    func `of one run is that run, however long it is`(count: UInt64) {
        let run = PageRun(start: 20, count: count)
        let window = PageWindow([run])
        #expect(window == PageWindow(run: run))
        #expect(window.runs == [run])
        #expect(window.pageCount == count)
    }

    @Test func `of nothing is empty`() {
        #expect(PageWindow([]) == .empty)
        #expect(PageWindow.empty.runs.isEmpty)
        #expect(PageWindow.empty.isPlausible(in: 16..<20))
    }

    @Test(arguments: [UInt64(1), 0b100, .max, 1 << 63])
    func `that names a page twice, or past the file, cannot be`(others: UInt64) {
        let window = PageWindow(run: PageRun(start: 20, count: 3), others: others)
        #expect(!window.isPlausible(in: 16..<60))
        #expect(!PageWindow(run: .empty, others: others).isPlausible(in: 0..<1000))
    }

    @Test func `holds what ends within 64 pages of where it begins`() {
        #expect(PageWindow.canHold(PageRun(start: 21, count: 63), from: 20))
        #expect(!PageWindow.canHold(PageRun(start: 21, count: 64), from: 20))
        #expect(!PageWindow.canHold(PageRun(start: 19, count: 1), from: 20))
    }
}

import BullaMemory
import Testing

@Suite struct `Free ranges` {
    @Test func `give what was never given, from the front`() {
        var free = FreeRanges(0..<64)
        #expect(free.take(16) == 0)
        #expect(free.take(32) == 16)
        #expect(free.take(32) == nil)
        #expect(free.take(16) == 48)
        #expect(free.take(1) == nil)
        #expect(free.ranges.isEmpty)
    }

    @Test(arguments: [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]])
    func `are one again in whatever order they come back`(order: [Int]) {
        var free = FreeRanges(0..<48)
        for _ in 0..<3 { _ = free.take(16) }
        for index in order { free.giveBack(index * 16..<index * 16 + 16) }
        #expect(free.ranges == [0..<48])
    }

    @Test func `keep to a model of single bytes`() {
        var random = SystemRandomNumberGenerator()
        var free = FreeRanges(0..<1024)
        var taken: [Range<Int>] = []
        for _ in 0..<5000 {
            if Bool.random(using: &random), let range = taken.randomElement(using: &random) {
                taken.removeAll { $0 == range }
                free.giveBack(range)
            } else {
                let count = Int.random(in: 1...8, using: &random) * 16
                if let start = free.take(count) { taken.append(start..<start + count) }
            }
            var isFree = [Bool](repeating: true, count: 1024)
            for index in taken.joined() {
                #expect(isFree[index], "byte \(index) was given twice")
                isFree[index] = false
            }
            var told = [Bool](repeating: false, count: 1024)
            for index in free.ranges.joined() { told[index] = true }
            #expect(told == isFree)
            for (one, next) in zip(free.ranges, free.ranges.dropFirst()) {
                #expect(one.upperBound < next.lowerBound)
            }
        }
    }
}

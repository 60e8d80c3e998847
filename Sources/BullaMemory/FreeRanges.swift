/// The free parts of a block.
///
/// Ranges are in order and never touch: two that would touch become one.
package struct FreeRanges {
    package private(set) var ranges: [Range<Int>]

    package init(_ whole: Range<Int>) { ranges = [whole] }

    /// Takes `count` bytes and returns where they begin; `nil` if no range is that long.
    ///
    /// - Complexity: linear in the number of ranges.
    package mutating func take(_ count: Int) -> Int? {
        guard let index = ranges.firstIndex(where: { $0.count >= count }) else { return nil }
        let range = ranges[index]
        if range.count == count {
            ranges.remove(at: index)
        } else {
            ranges[index] = range.lowerBound + count..<range.upperBound
        }
        return range.lowerBound
    }

    /// Gives back a range that was taken.
    ///
    /// - Complexity: linear in the number of ranges.
    package mutating func giveBack(_ range: Range<Int>) {
        let index = ranges.firstIndex { $0.lowerBound >= range.lowerBound } ?? ranges.count
        let before = index > 0 ? ranges[index - 1] : nil
        let after = index < ranges.count ? ranges[index] : nil
        precondition(
            (before?.upperBound ?? 0) <= range.lowerBound
                && range.upperBound <= after?.lowerBound ?? .max, "nobody has what is free")
        let joinsBefore = before?.upperBound == range.lowerBound
        let joinsAfter = after?.lowerBound == range.upperBound
        switch (joinsBefore ? before : nil, joinsAfter ? after : nil) {
        case (let before?, let after?):
            ranges[index - 1] = before.lowerBound..<after.upperBound
            ranges.remove(at: index)
        case (let before?, nil): ranges[index - 1] = before.lowerBound..<range.upperBound
        case (nil, let after?): ranges[index] = range.lowerBound..<after.upperBound
        case (nil, nil): ranges.insert(range, at: index)
        }
    }
}

/// Lists of the numbers of cores or NUMA nodes, as Linux writes them: `0-3,8`.
package enum NumberList {
    /// Every number in a list is less than this limit.
    ///
    /// No machine has that many cores, and an array can hold that many numbers.
    private static let numberLimit = 1 << 16

    /// The numbers in the order of the text; nil if the text is not a list in this form.
    package static func parsed(_ text: String) -> [Int]? {
        var numbers: [Int] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let ends = part.split(separator: "-", omittingEmptySubsequences: false)
                .map { number($0) }
            guard ends.count <= 2, let first = ends[0], let last = ends[ends.count - 1],
                first <= last
            else { return nil }
            numbers += first...last
        }
        return numbers
    }

    /// The shortest text for `numbers`, in their order.
    package static func text(_ numbers: [Int]) -> String {
        var runs: [ClosedRange<Int>] = []
        for number in numbers {
            if let run = runs.last, number == run.upperBound + 1 {
                runs[runs.count - 1] = run.lowerBound...number
            } else {
                runs.append(number...number)
            }
        }
        return runs.map { run in
            run.count == 1 ? "\(run.lowerBound)" : "\(run.lowerBound)-\(run.upperBound)"
        }.joined(separator: ",")
    }

    /// The number in a text of only digits; it has no sign, because a minus separates the ends of a
    /// range.
    package static func number(_ text: Substring) -> Int? {
        guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let number = Int(text), number < numberLimit
        else { return nil }
        return number
    }
}

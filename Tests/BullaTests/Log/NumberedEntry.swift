import Bulla
import BullaTestSupport

/// Entries that are identified by a number, and sort in the order of their numbers.
enum NumberedEntry {
    static func key(_ number: Int) -> [UInt8] { UInt64(number).byteSwapped.bytes }

    static func value(_ number: Int, _ byteCount: Int = 100) -> [UInt8] {
        [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: byteCount)
    }
}

extension WriteTransaction {
    mutating func putNumbered(
        _ numbers: Range<Int>, in tree: Tree, byteCount: Int = 100
    ) throws {
        for number in numbers {
            try put(
                NumberedEntry.value(number, byteCount), forKey: NumberedEntry.key(number), in: tree)
        }
    }
}

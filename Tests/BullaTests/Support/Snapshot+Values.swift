import Bulla
import BullaMemory

extension Snapshot {
    /// The distinct values in tree "t".
    func values() throws -> Set<[UInt8]> {
        var values: Set<[UInt8]> = []
        try scan(try tree(named: "t")) { _, value in
            values.insert(value.copied())
            return .next
        }
        return values
    }
}

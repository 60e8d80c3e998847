internal import ArgumentParser
internal import BullaBenchKit
internal import BullaText

extension BenchSuite: ExpressibleByArgument {}
extension BenchDurability: ExpressibleByArgument {}
extension ByteCount: ExpressibleByArgument {}
extension Percent: ExpressibleByArgument {}
extension Shard: ExpressibleByArgument {}
extension ValueKind: ExpressibleByArgument {}

/// What is asked for by name, with commas between the names.
struct ListOption<Element: NamedInLists>: ExpressibleByArgument, CustomStringConvertible {
    let list: [Element]

    var description: String { list.map(\.rawValue).joined(separator: ",") }

    init(_ list: [Element]) { self.list = list }

    init?(argument: String) {
        guard let list = Element.list(argument) else { return nil }
        self.list = list
    }
}

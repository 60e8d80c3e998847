import BullaTestSupport

/// What a store should hold: trees by their names' bytes.
struct ModelState: Sendable {
    var trees: [[UInt8]: SortedModel] = [:]

    var names: [[UInt8]] { trees.keys.sorted { order($0, $1) < 0 } }

    var entryCount: Int { trees.values.reduce(0) { $0 + $1.count } }
}

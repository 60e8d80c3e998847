import BullaTestSupport

/// The expected content of a store: trees by the bytes of their names.
struct ModelState: Sendable {
    var trees: [[UInt8]: SortedModel] = [:]

    var names: [[UInt8]] { trees.keys.sorted { order($0, $1) < 0 } }

    var entryCount: Int { trees.values.reduce(0) { $0 + $1.count } }
}

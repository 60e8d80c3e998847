internal import Bulla
internal import BullaMemory

extension ObjectReader where Self: ~Copyable {
    /// The keys of the objects that a query selects, in its order.
    ///
    /// - Throws: as when fetching the objects.
    public func keys<M: Model>(of query: Query<M>) throws(ObjectError) -> [M.Key] {
        var keys: [M.Key] = []
        try forEachObject(query) { object, binding throws(ObjectError) in
            let parts = binding.table?.model.parts(ofKey: object.key)
            guard let key = parts.flatMap({ M.Key(parts: $0) }) else {
                throw binding.layout.damaged("key")
            }
            keys.append(key)
            return .next
        }
        return keys
    }
}

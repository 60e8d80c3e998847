import Bulla

extension Store {
    /// How many asset chunks the records of a store have, durable or not.
    var assetChunkCount: Int {
        get throws {
            try read(visibility: .published) { snapshot in
                guard let tree = try snapshot.treeIfPresent(named: "chunks") else { return 0 }
                return try snapshot.count(of: tree)
            }
        }
    }
}

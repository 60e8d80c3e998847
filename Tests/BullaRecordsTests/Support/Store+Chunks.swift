import Bulla

extension Store {
    /// How many asset chunks a store of records contains, durable or not.
    var assetChunkCount: Int {
        get throws {
            try read(visibility: .published) { snapshot in
                guard let tree = try snapshot.treeIfPresent(named: "chunks") else { return 0 }
                return try snapshot.count(of: tree)
            }
        }
    }
}

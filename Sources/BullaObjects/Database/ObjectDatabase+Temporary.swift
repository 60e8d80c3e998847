public import Bulla

extension ObjectDatabase {
    /// An empty database that goes with the last reference to it: for tests and previews.
    ///
    /// It lies in memory where the system keeps files there (`/dev/shm`), and otherwise in the
    /// folder of temporary files, encrypted under a random key. What a killed process leaves there
    /// cannot be read by anyone.
    ///
    /// - Parameters:
    ///   - models: all that are used, and all that they link to.
    ///   - options: of the store.
    /// - Throws: `invalidModel`, `store`.
    public static func temporary(
        models: any Model.Type..., options: StoreOptions = StoreOptions()
    ) throws(ObjectError) -> ObjectDatabase {
        let folder = try TemporaryFolder()
        let store = try ObjectError.ofStore { () throws(BullaError) in
            try Store.open(at: "\(folder.path)/objects.bulla", key: .random(), options: options)
        }
        return try ObjectDatabase(store, models, [], .refuse, in: folder)
    }
}

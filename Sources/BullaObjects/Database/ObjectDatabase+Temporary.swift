public import Bulla

extension ObjectDatabase {
    /// An empty database for tests and previews; it is deleted with the last reference to it.
    ///
    /// It is in memory if the process can write to `/dev/shm`, and otherwise in the folder for
    /// temporary files. It is encrypted with a random key. If the process is killed, the files
    /// stay, but nobody can read them.
    ///
    /// - Parameters:
    ///   - models: all models that are used, and all that they link to.
    ///   - options: the store's options.
    /// - Throws: `invalidModel`, `store`.
    public static func temporary(
        models: any Model.Type..., options: StoreOptions = StoreOptions()
    ) throws(ObjectError) -> ObjectDatabase {
        let folder = try TemporaryFolder()
        let store = try ObjectError.ofStore { () throws(BullaError) in
            try Store.open(at: "\(folder.path)/objects.bulla", key: .random(), options: options)
        }
        let opened = try Opened(store, models, [], .refuse)
        return ObjectDatabase(store, opened, .refuse, in: folder)
    }
}

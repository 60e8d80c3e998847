/// A file that is built under a temporary name, so that it appears whole or not at all.
struct NewFile {
    let path: String
    let storage: any StorageSystem

    /// Makes the file, and gives it its name.
    ///
    /// - Parameters:
    ///   - body: makes a file under the name that it is given, and flushes it.
    /// - Throws: what `body` throws; `invalidArgument` if a file has the name already. `io` can
    ///   also be thrown after the complete file got its name; then the file may be gone after a
    ///   crash.
    func build<R>(_ body: (String) throws(BullaError) -> R) throws(BullaError) -> R {
        try FileNameLimit.check(path, for: .newFile)
        guard try storage.identity(of: path) == nil else { throw taken }
        let temporary = "\(path).part-\(try Random.word())"
        do throws(BullaError) {
            let result = try body(temporary)
            guard try storage.link(temporary, as: path) else { throw taken }
            try? storage.remove(temporary)
            try storage.flushFolder(of: path)
            return result
        } catch {
            try? storage.remove(temporary)
            // A store whose flush failed leaves its coordination file behind, in case other
            // processes have the store open. No other process has this store open, because none
            // knows its temporary name.
            try? storage.remove(World.path(of: temporary))
            // The caller knows the path, but not the temporary name.
            throw error.naming(path, insteadOf: temporary)
        }
    }

    /// Makes a store that `body` fills.
    func buildStore<R>(
        _ key: StoreKey?, _ options: StoreOptions, _ body: (Store) throws(BullaError) -> R
    ) throws(BullaError) -> R {
        var options = options
        options.creation = .exclusive
        options.access = .readWrite
        return try build { temporary throws(BullaError) in
            let store = try Store.open(at: temporary, key: key, options: options, storage: storage)
            let result = try body(store)
            try store.close()
            return result
        }
    }

    private var taken: BullaError {
        BullaError(
            .invalidArgument,
            "create \(path): a file is there already, and is not overwritten; take another name, "
                + "or remove it")
    }
}

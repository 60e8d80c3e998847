internal import ArgumentParser
internal import Bulla

/// The store to open, and how to open it.
struct StoreArguments: ParsableArguments {
    @Argument(help: "The file of the store.", completion: .file())
    var store: String

    @OptionGroup(title: "Key")
    var key: KeyArguments

    @OptionGroup var timeout: TimeoutArguments

    @Option(
        help: ArgumentHelp(
            "Refuse a store that lost commits that it had when bulla anchor printed this.",
            valueName: "anchor"))
    var notOlderThan: String?

    func validate() throws {
        guard notOlderThan == nil || anchor != nil else {
            throw ValidationError("--not-older-than is no anchor: bulla anchor prints one")
        }
    }

    /// The key, or `nil` for a plain store.
    func storeKey() throws -> StoreKey? { try key.key(within: timeout.duration) }

    private var anchor: Anchor? { notOlderThan.flatMap { Anchor($0) } }

    /// Opens an existing store for reading, passes it to `body`, and closes it.
    func reading<R>(_ body: (Store) throws -> R) throws -> R {
        try using(try storeKey(), { $0.access = .readOnly }, body)
    }

    /// Opens a store for writing, passes it to `body`, and closes it.
    ///
    /// - Parameter change: changes the options; by default, they require that the store exists.
    func writing<R>(
        _ change: (inout StoreOptions) -> Void = { _ in }, _ body: (Store) throws -> R
    ) throws -> R {
        try using(try storeKey(), change, body)
    }

    /// Opens a store with a key that was already read, passes it to `body`, and closes it.
    func using<R>(
        _ key: StoreKey?, _ change: (inout StoreOptions) -> Void, _ body: (Store) throws -> R
    ) throws -> R {
        var options = StoreOptions()
        options.creation = .never
        options.lockTimeout = timeout.duration
        options.logger = MessageLog.logger()
        change(&options)
        let opened = try open(key, options)
        let result = try body(opened)
        try opened.close()
        return result
    }

    private func open(_ key: StoreKey?, _ options: StoreOptions) throws -> Store {
        do {
            return try Store.open(
                at: store, key: key, options: options, notOlderThan: anchor)
        } catch {
            let isThere = options.creation == .exclusive && error.code == .invalidArgument
            var failure = CommandError(error, as: isThere ? .cannotCreate : nil)
            if options.creation == .never, CommandExit.isMissing(error.errno) {
                failure.message += "; bulla create makes one"
            }
            throw failure
        }
    }
}

internal import ArgumentParser
internal import Bulla
internal import BullaKeyPlaces
internal import BullaRecords
internal import BullaRecordsServer
internal import Foundation
internal import Logging

/// The argument that names a command's service: the file of the service's settings.
struct ServiceArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The settings file; bulla-records settings explains it.", valueName: "file"),
        completion: .file())
    var settings = "bulla-records.json"

    /// Loads the settings from the file and the environment.
    func load() throws -> ServiceSettings {
        guard let data = FileManager.default.contents(atPath: settings) else {
            throw SettingsFault("read \(settings): it does not exist, or cannot be read")
        }
        do throws(SettingsFault) {
            return try ServiceSettings(
                file: [UInt8](data), environment: ProcessInfo.processInfo.environment)
        } catch { throw SettingsFault("read \(settings): \(error)") }
    }

    /// Opens the stores, runs `body`, and closes them.
    func withStores<R>(_ body: (ServiceStores) throws -> R) throws -> R {
        let settings = try load()
        let stores = try settings.open(logger: settings.logger)
        let result = Result { try body(stores) }
        try stores.close()
        return try result.get()
    }
}

extension ServiceSettings {
    /// Opens the stores.
    func open(
        creation: StoreOptions.Creation = .never, logger: Logger
    ) throws -> ServiceStores {
        forbidDumps(logger)
        var others: [String: any SiteBackend] = [:]
        for (name, database) in databases {
            others[name] = try database.connect("databases.\(name)", mayBeAway: true)
        }
        return try ServiceStores(
            at: data, records: try recordsHome(logger),
            others: others, newAccounts: newAccounts, patience: limits.patience,
            accountsKey: try key(accountsKey, "keys.accounts", logger), creation: creation,
            limits: limits.records, clock: WallClock.milliseconds)
    }

    /// Connects to the database that keeps the records, or reads the key of their store.
    private func recordsHome(_ logger: Logger) throws -> RecordsHome {
        database.isUsed
            ? .database(try database.connect("database"))
            : .store(try key(recordsKey, "keys.records", logger))
    }

    /// Prevents the process from dumping core, because it is about to read keys.
    func forbidDumps(_ logger: Logger) {
        guard !CoreDumps.forbid() else { return }
        logger.warning("core dumps cannot be forbidden here, and would contain keys")
    }

    /// Reads a key from the source that a setting names.
    func key(_ text: String, _ path: String, _ logger: Logger) throws -> StoreKey {
        try KeyRequest(place: keyPlace(text, path)).key(within: .seconds(30), logger: logger)
    }

    /// The place of a key.
    func keyPlace(_ text: String, _ path: String) throws(SettingsFault) -> KeyPlace {
        guard let place = KeyPlace(text) else {
            throw SettingsFault("\(path): expected \(KeyPlace.forms)")
        }
        return place
    }

    /// The logger of commands and of the service.
    var logger: Logger {
        let level = Logger.Level(rawValue: logLevel) ?? .info
        return Logger(label: "bulla-records") { _ in LineLog(level) }
    }
}

/// The present time.
enum WallClock {
    /// The time in milliseconds since 1970.
    static let milliseconds: ServiceStores.Clock = {
        Int64(Date().timeIntervalSince1970 * 1_000)
    }
}

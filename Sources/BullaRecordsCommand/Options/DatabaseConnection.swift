internal import BullaRecords
internal import BullaRecordsServer
internal import Foundation

#if PostgreSQL
internal import BullaRecordsPostgreSQL

extension DatabaseSettings {
    /// Connects to the database, and creates its tables if they are missing.
    func connect() throws -> any RecordBackend {
        let route: DatabaseAddress.Route =
            isLocal
            ? .socket(folder: host) : .network(host: host, authorities: authoritiesFile)
        guard let port = UInt16(exactly: port) else {
            throw SettingsFault("database.port: expected a port")
        }
        var address = try DatabaseAddress(
            route, port: port, database: name, user: user, password: try password())
        address.preparesStatements = preparesStatements
        address.secondLimit = secondLimit
        return try PostgreSQLBackend(
            address, connectionLimit: connectionCount, waiterLimit: waiterCount)
    }

    /// The password in its file, without a last line break; `nil` if the settings name no file.
    private func password() throws(SettingsFault) -> String? {
        guard !passwordFile.isEmpty else { return nil }
        let attributes = try? FileManager.default.attributesOfItem(atPath: passwordFile)
        guard let mode = attributes?[.posixPermissions] as? Int,
            let data = FileManager.default.contents(atPath: passwordFile),
            let text = String(validating: data, as: UTF8.self)
        else {
            throw SettingsFault("database.passwordFile: it is missing, or cannot be read")
        }
        guard mode & 0o077 == 0 else {
            throw SettingsFault("database.passwordFile: others than its owner can use it")
        }
        return text.last?.isNewline == true ? String(text.dropLast()) : text
    }
}

extension ServiceStores {
    /// Begins another timeline in the records' database, after a restore.
    func forkTimeline() throws {
        guard let database = backend as? PostgreSQLBackend else { return }
        try database.forkTimeline()
    }
}
#else
extension DatabaseSettings {
    func connect() throws -> any RecordBackend {
        throw SettingsFault(
            "this bulla-records was built without PostgreSQL: build it with --traits PostgreSQL")
    }
}

extension ServiceStores {
    func forkTimeline() throws {}
}
#endif

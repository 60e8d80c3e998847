internal import BullaRecords
internal import BullaRecordsServer
internal import Foundation

#if PostgreSQL
internal import BullaRecordsPostgreSQL

extension DatabaseSettings {
    /// Connects to the database, and creates its tables if they are missing.
    ///
    /// - Parameters:
    ///   - path: where these settings are.
    ///   - mayBeAway: whether the database may be out of reach now.
    func connect(_ path: String, mayBeAway: Bool = false) throws -> any SiteBackend {
        let route: DatabaseAddress.Route =
            isLocal
            ? .socket(folder: host) : .network(host: host, authorities: authoritiesFile)
        guard let port = UInt16(exactly: port) else {
            throw SettingsFault("\(path).port: expected a port")
        }
        var address = try DatabaseAddress(
            route, port: port, database: name, user: user,
            password: try password("\(path).passwordFile"))
        address.preparesStatements = preparesStatements
        address.secondLimit = secondLimit
        return try PostgreSQLBackend(
            address, connectionLimit: connectionCount, waiterLimit: waiterCount,
            mayBeAway: mayBeAway)
    }

    /// The password in its file, without a trailing line break; `nil` if the settings name no file.
    private func password(_ path: String) throws(SettingsFault) -> String? {
        guard !passwordFile.isEmpty else { return nil }
        let attributes = try? FileManager.default.attributesOfItem(atPath: passwordFile)
        guard let mode = attributes?[.posixPermissions] as? Int,
            let data = FileManager.default.contents(atPath: passwordFile),
            let text = String(validating: data, as: UTF8.self)
        else {
            throw SettingsFault("\(path): it is missing, or cannot be read")
        }
        guard mode & 0o077 == 0 else {
            throw SettingsFault("\(path): others than its owner can use it")
        }
        return text.last?.isNewline == true ? String(text.dropLast()) : text
    }
}

extension ServiceStores {
    /// After a restore, begins another timeline in each database for records that can be reached.
    ///
    /// - Throws: the first error, after it has tried all of them.
    func forkTimeline() throws {
        var failure: (any Error)?
        for name in sites.keys.sorted() {
            do { try forkTimeline(of: name) } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
    }

    /// Begins another timeline in a database that was restored; for a store it does nothing,
    /// because restoring a store begins another timeline by itself.
    func forkTimeline(of name: String) throws {
        try (sites[name] as? PostgreSQLBackend)?.forkTimeline()
    }
}
#else
extension DatabaseSettings {
    func connect(_ path: String, mayBeAway: Bool = false) throws -> any SiteBackend {
        throw SettingsFault(
            "this bulla-records was built without PostgreSQL: build it with --traits PostgreSQL")
    }
}

extension ServiceStores {
    func forkTimeline() throws {}
    func forkTimeline(of name: String) throws {}
}
#endif

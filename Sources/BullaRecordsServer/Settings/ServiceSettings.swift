package import BullaRecords
package import BullaRecordsWeb

/// The settings of a service, from its file and its environment.
package struct ServiceSettings: Hashable, Sendable {
    /// The folder of the service's stores.
    package var data = ""
    /// The address at which clients reach the service, and the beginning of every address that it
    /// returns.
    package var publicURL = ""
    /// The sources of the two stores' keys, such as `file:PATH`; if a database keeps the records,
    /// there is only the accounts' store.
    package var recordsKey = ""
    package var accountsKey = ""
    /// The database that keeps the records, if they are not in a store.
    package var database = DatabaseSettings()
    /// Further databases for the records of some accounts, by their names.
    package var databases: [String: DatabaseSettings] = [:]
    /// The name of the database for new accounts.
    package var newAccounts = mainDatabase
    /// The fixed name of the records' store, or of the database that takes its place.
    package static let mainDatabase = "main"

    /// The address on which the service listens.
    package var host = "127.0.0.1"
    package var port = 8443
    /// PEM files: the certificate with its chain, and its private key; both settings are empty if a
    /// proxy on the same machine terminates TLS.
    package var certificateFile = ""
    package var privateKeyFile = ""
    /// The address at which operators get the service's health and metrics; port 0 switches this
    /// off.
    package var adminHost = "127.0.0.1"
    package var adminPort = 0

    /// Whether the service offers the console, a web page for users and developers.
    package var hasConsole = false

    package var limits = ServiceLimits()
    package var timeouts = ServiceTimeouts()
    /// The level of the log: `trace`, `debug`, `info`, `notice`, `warning`, `error` or `critical`.
    package var logLevel = "info"

    package init() {}

    /// The settings of a database, by its name.
    package subscript(database name: String) -> DatabaseSettings {
        get {
            name == Self.mainDatabase ? database : databases[name] ?? DatabaseSettings()
        }
        set {
            if name == Self.mainDatabase { database = newValue } else { databases[name] = newValue }
        }
    }
}

/// The limits of a service.
package struct ServiceLimits: Hashable, Sendable {
    /// The maximum sizes, in bytes, of a request's body and of an answer.
    package var requestByteCount = 16 << 20
    package var answerByteCount = 4 << 20
    /// The maximum total size, in bytes, of the bodies of all requests in progress.
    package var byteCountInFlight = 256 << 20
    /// The maximum numbers of operations in a request and of records in an answer.
    package var operationCount = 200
    package var resultCount = 200
    /// The maximum sizes, in bytes, of a record and of an asset.
    package var recordByteCount = 1 << 20
    package var assetByteCount = 50 << 20
    /// The maximum total size, in mebibytes, of an account's records and assets; 0 for no limit.
    package var accountMebibytes = 1_024
    /// For how many days deletions of records are remembered.
    package var deletionDays = 30
    /// The maximum number of connections at once; further ones wait to be accepted.
    package var connectionCount = 1_024
    /// The maximum number of assets that are received or sent at once.
    package var transferCount = 32
    /// The maximum number of requests that are worked on at once; further ones wait.
    package var workerCount = 16
    /// The maximum numbers of requests per second in the long run, and of requests at once after a
    /// quiet time; both apply to each account, to each server's key, and to each program without a
    /// user.
    package var requestsPerSecond = 100
    package var requestBurst = 400
    /// The maximum number of failed sign-ins per minute for each name.
    package var failuresPerMinute = 10
    /// The maximum number of passwords that are stretched at once, since each of them takes much
    /// memory.
    package var passwordCount = 2

    package init() {}

    /// The limits of the core.
    package var records: RecordLimits {
        var limits = RecordLimits()
        limits.changeCount = operationCount
        limits.answerCount = resultCount
        limits.recordByteCount = recordByteCount
        limits.assetByteCount = UInt64(assetByteCount)
        limits.accountByteCount = accountMebibytes == 0 ? nil : UInt64(accountMebibytes) << 20
        limits.deletionDays = deletionDays
        return limits
    }

    /// How long requests wait for a database that does not answer, or for an account that is being
    /// moved, and how many requests may wait.
    ///
    /// A quarter of the workers can wait for each database that does not answer, and a quarter for
    /// accounts that are being moved; the other workers serve the other requests.
    package var patience: SitePatience { SitePatience(callerLimit: max(workerCount / 4, 1)) }

    /// The limits of one request and its answer.
    package var web: WebLimits {
        var limits = WebLimits()
        limits.requestByteCount = requestByteCount
        limits.answerByteCount = answerByteCount
        limits.wire = WireLimits(itemLimit: operationCount, resultLimit: resultCount)
        return limits
    }
}

/// The timeouts of a service, in seconds.
package struct ServiceTimeouts: Hashable, Sendable {
    /// For a connection's TLS setup and the head of its first request, together.
    package var header = 10
    /// For the body of a request, after its head.
    package var body = 60
    /// For the next bytes of an asset to arrive after the previous ones, and for a client to read a
    /// piece of an answer.
    package var transfer = 30
    /// For a whole asset that is sent to the service, and for a whole answer.
    package var whole = 900
    /// For the next request on a connection.
    package var idle = 75
    /// For requests in progress when the service is stopped.
    package var stop = 30

    package init() {}
}

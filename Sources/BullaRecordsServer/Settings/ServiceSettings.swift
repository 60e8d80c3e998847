package import BullaRecords
package import BullaRecordsWeb

/// What a service is told by its file of settings and its environment.
package struct ServiceSettings: Hashable, Sendable {
    /// The folder of its stores.
    package var data = ""
    /// Where clients reach it: what every address that it hands out begins with.
    package var publicURL = ""
    /// Where the keys of its two stores are, as `file:PATH` and the like.
    package var recordsKey = ""
    package var accountsKey = ""

    /// Where it listens.
    package var host = "127.0.0.1"
    package var port = 8443
    /// Files in PEM: the certificate with those above it, and its private key; both are empty where
    /// a proxy on the same machine ends TLS.
    package var certificateFile = ""
    package var privateKeyFile = ""
    /// Where it tells operators of its health and its metrics; port 0 turns that off.
    package var adminHost = "127.0.0.1"
    package var adminPort = 0

    package var limits = ServiceLimits()
    package var timeouts = ServiceTimeouts()
    /// Of the log: `trace`, `debug`, `info`, `notice`, `warning`, `error` or `critical`.
    package var logLevel = "info"

    package init() {}
}

/// How much a service takes at once.
package struct ServiceLimits: Hashable, Sendable {
    /// Bytes of a request's body, and of an answer.
    package var requestByteCount = 16 << 20
    package var answerByteCount = 4 << 20
    /// Bytes of all bodies that are being read or answered.
    package var byteCountInFlight = 256 << 20
    /// Operations of a request, and records of an answer.
    package var operationCount = 200
    package var resultCount = 200
    /// Bytes of a record, and of an asset.
    package var recordByteCount = 1 << 20
    package var assetByteCount = 50 << 20
    /// Mebibytes of all records and assets of an account; 0: as many as there is room for.
    package var accountMebibytes = 1_024
    /// Days for which it is remembered which records were deleted.
    package var deletionDays = 30
    /// Connections at once; those beyond wait to be accepted.
    package var connectionCount = 1_024
    /// Assets that are being taken up or sent at once.
    package var transferCount = 32
    /// Requests that are worked on at once; those beyond wait.
    package var workerCount = 16
    /// Requests of one token or key a second, and how many may come at once before that counts.
    package var requestsPerSecond = 100
    package var requestBurst = 400
    /// Sign-ins that fail for one name a minute.
    package var failuresPerMinute = 10
    /// Passwords that are stretched at once: each takes much memory.
    package var passwordCount = 2

    package init() {}

    /// What the core is to hold to.
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

    /// What one request and its answer are to hold to.
    package var web: WebLimits {
        var limits = WebLimits()
        limits.requestByteCount = requestByteCount
        limits.answerByteCount = answerByteCount
        limits.wire = WireLimits(itemLimit: operationCount, resultLimit: resultCount)
        return limits
    }
}

/// How many seconds a service waits.
package struct ServiceTimeouts: Hashable, Sendable {
    /// For a connection's TLS and the head of its request.
    package var header = 10
    /// For the body of a request, from its head on.
    package var body = 60
    /// For bytes of an asset, from the last ones on, and for a client to take a piece of an answer.
    package var transfer = 30
    /// For an asset that is sent to the service, and for any answer, as a whole.
    package var whole = 900
    /// For the next request of a connection.
    package var idle = 75
    /// For requests that are under way when the service is to stop.
    package var stop = 30

    package init() {}
}

#if Service
internal import BullaRecords
internal import BullaRecordsWeb
internal import Logging
internal import NIOPosix
internal import ServiceLifecycle
internal import UnixSignals

/// What the service does now and then: it forgets what its time is over for.
struct Tidying: Service {
    let stores: ServiceStores
    let book: SessionBook
    let workers: NIOThreadPool
    let logger: Logger

    /// An hour is how long an asset waits for its record; a part of that is soon enough.
    private static let pause = Duration.seconds(600)

    func run() async throws {
        try? await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                try await Task.sleep(for: Self.pause)
                await tidy()
            }
        }
    }

    private func tidy() async {
        do {
            try await workers.runIfActive {
                try stores.tidy { place throws(RecordError) in
                    do throws(WebError) { try book.tidy(place) } catch {
                        throw RecordError(.unavailable, error.reason)
                    }
                }
            }
        } catch { logger.warning("tidy up: \(error)") }
    }
}

/// As soon as the service is told to stop: says that it is not ready, and lets clients that wait
/// for changes go.
struct StopWatch: Service {
    let readiness: Readiness
    let courier: WebCourier
    let workers: NIOThreadPool

    func run() async throws {
        try? await gracefulShutdown()
        readiness.set(false)
        try await workers.runIfActive { courier.end() }
    }
}

/// Reads the certificate anew at a hang-up signal.
struct CertificateWatch: Service {
    let tls: ReloadingTLS
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown {
            for await _ in await UnixSignalsSequence(trapping: .sighup) {
                do {
                    try tls.reload()
                    logger.notice("the certificate was read anew")
                } catch {
                    logger.error("read the certificate anew: \(error); the former one stays")
                }
            }
        }
    }
}
#endif

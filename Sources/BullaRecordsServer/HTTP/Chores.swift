#if Service
internal import BullaRecords
internal import BullaRecordsWeb
internal import Logging
internal import NIOPosix
internal import ServiceLifecycle
internal import UnixSignals

/// A periodic task of the service: forgets what has expired.
struct Tidying: Service {
    let stores: ServiceStores
    let book: SessionBook
    let workers: NIOThreadPool
    let logger: Logger

    /// An asset waits an hour for its record, so checking every ten minutes is enough.
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
        } catch { logger.warning("tidying has failed: \(error)") }
    }
}

/// Reports the service as not ready as soon as it is told to stop, and ends each client's wait for
/// changes.
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

/// Reads the certificate again on a hang-up signal, which would otherwise end the process.
struct CertificateWatch: Service {
    /// `nil` for a service without a certificate, which has nothing to read.
    let tls: ReloadingTLS?
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown {
            for await _ in await UnixSignalsSequence(trapping: .sighup) {
                guard let tls else {
                    logger.notice("there is no certificate to read anew")
                    continue
                }
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

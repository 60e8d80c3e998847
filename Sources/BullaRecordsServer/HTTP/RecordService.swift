#if Service
internal import Bulla
internal import BullaRecords
internal import BullaRecordsWeb
internal import HummingbirdCore
package import Logging
internal import NIOCore
internal import NIOPosix
internal import ServiceLifecycle
internal import UnixSignals

/// A service that runs until it is told to stop.
package struct RecordService: Sendable {
    private let settings: ServiceSettings
    private let stores: ServiceStores
    private let clock: ServiceStores.Clock
    private let logger: Logger
    private let book: SessionBook
    private let metrics = ServiceMetrics()
    private let budget: FlightBudget
    private let readiness = Readiness()

    /// - Parameters:
    ///   - stores: the stores; the caller closes them when the service has ended.
    ///   - clock: the time in milliseconds since 1970.
    package init(
        _ settings: ServiceSettings, _ stores: ServiceStores, logger: Logger,
        clock: @escaping ServiceStores.Clock
    ) {
        (self.settings, self.stores, self.clock) = (settings, stores, clock)
        self.logger = logger
        book = SessionBook(stores.keyring, clock: clock)
        budget = FlightBudget(settings.limits.byteCountInFlight)
    }

    /// Serves until the process is interrupted or asked to terminate.
    ///
    /// The service then stops accepting connections, and ends once the requests in progress have
    /// been answered.
    ///
    /// - Parameter onReady: called with the port on which the service listens.
    package func run(
        onReady: @escaping @Sendable (Int) -> Void = { _ in }
    ) async throws {
        let workers = NIOThreadPool(numberOfThreads: settings.limits.workerCount)
        workers.start()
        do {
            try await serve(workers, onReady)
        } catch {
            try? await workers.shutdownGracefully()
            throw error
        }
        try await workers.shutdownGracefully()
    }

    private func serve(
        _ workers: NIOThreadPool, _ onReady: @escaping @Sendable (Int) -> Void
    ) async throws {
        var services: [any Service] = [
            Tidying(stores: stores, book: book, workers: workers, logger: logger)
        ]
        let front = try front(workers)
        let http = HTTP1Channel(responder: front.respond, configuration: connections)
        let tls = settings.certificateFile.isEmpty ? nil : try ReloadingTLS(settings)
        if let tls {
            services.append(server(ReloadingTLSChannel(base: http, tls: tls), onReady))
        } else {
            services.append(server(http, onReady))
        }
        services.append(CertificateWatch(tls: tls, logger: logger))
        if settings.adminPort != 0 { services.append(adminServer()) }
        // Services are stopped in reverse order, so this one is stopped first.
        services.append(
            StopWatch(readiness: readiness, courier: front.courier, workers: workers))
        var configuration = ServiceGroupConfiguration(
            services: services, gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        configuration.maximumGracefulShutdownDuration = .seconds(settings.timeouts.stop)
        try await ServiceGroup(configuration: configuration).run()
    }

    private func front(_ workers: NIOThreadPool) throws(SettingsFault) -> HTTPFront {
        guard let address = ServiceAddress(settings.publicURL) else {
            throw SettingsFault("publicURL: expected an address that begins with https")
        }
        let (stores, book, limits) = (stores, book, settings.limits)
        let sessions: any SessionKeeper =
            settings.hasConsole ? ConsoleSessions(book, stores, clock: clock) : book
        let doors = ServiceDoors(
            core: { place throws(WebError) in
                do throws(RecordError) { return try stores.core(of: place) } catch {
                    throw WebError(error)
                }
            }, sessions: sessions,
            serverKey: { name, place throws(WebError) in
                try book.serverKey(name, in: place)
            })
        let service = WebService(
            doors, at: address, limits: limits.web,
            replays: ReplayMemory { first, keyID, end throws(WebError) in
                try book.takeSignature(first, by: keyID, until: end)
            },
            rates: RateLimiter(limits.requestsPerSecond, burst: limits.requestBurst),
            clock: clock)
        let desk = SignInDesk(
            book, failuresPerMinute: limits.failuresPerMinute,
            passwordCount: limits.passwordCount, clock: clock)
        return HTTPFront(
            service: service, desk: desk,
            console: settings.hasConsole
                ? ConsoleDesk(stores, book, desk, clock: clock, audit: audit) : nil,
            courier: WebCourier(service),
            eventInterval: .seconds(settings.timeouts.transfer) / 2, limits: limits, budget: budget,
            transfers: FlightBudget(limits.transferCount), metrics: metrics,
            workers: workers, logger: logger)
    }

    /// Writes to the log what users do in the console.
    private var audit: ConsoleDesk.Audit {
        { [logger] event, facts in
            logger.notice("\(event)", metadata: facts.mapValues { "\($0)" })
        }
    }

    private var connections: HTTP1Channel.Configuration {
        let (timeouts, metrics) = (settings.timeouts, metrics)
        return HTTP1Channel.Configuration(
            additionalChannelHandlers: [ConnectionDeadlines(timeouts, metrics)],
            httpDecoderConfiguration: .init(
                maxHeaderFieldSize: 16 << 10, maxHeaderListSize: 32 << 10,
                maxHeaderFieldCount: 100))
    }

    private func server(
        _ channel: some ServerChildChannel, _ onReady: @escaping @Sendable (Int) -> Void
    ) -> any Service {
        let readiness = readiness
        return channel.server(
            configuration: ServerConfiguration(
                address: .hostname(settings.host, port: settings.port),
                availableConnectionsDelegate: MaximumAvailableConnections(
                    settings.limits.connectionCount)),
            onServerRunning: { channel in
                readiness.set(true)
                onReady(channel.localAddress?.port ?? 0)
            }, eventLoopGroup: MultiThreadedEventLoopGroup.singleton, logger: logger)
    }

    private func adminServer() -> any Service {
        let front = AdminFront(metrics: metrics, budget: budget, readiness: readiness)
        return HTTP1Channel(responder: front.respond, configuration: .init()).server(
            configuration: ServerConfiguration(
                address: .hostname(settings.adminHost, port: settings.adminPort)),
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton, logger: logger)
    }
}
#endif

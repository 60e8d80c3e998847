internal import ArgumentParser
internal import BullaRecordsServer
internal import Foundation
internal import Logging

/// `bulla-records serve`.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serve until asked to terminate.",
        discussion: """
            SIGTERM and SIGINT stop the service: it accepts no more connections, answers the \
            requests in progress, and closes its stores. At SIGHUP, it reads its certificate \
            again. Several services can serve the same stores. The log, on standard error, has one \
            JSON object per line, and contains no token, signature or value.
            """)

    @OptionGroup var service: ServiceArguments

    func run() async throws {
        #if Service
        ServiceProcess.prepare()
        let settings = try service.load()
        let logger = settings.logger
        let stores = try settings.open(logger: logger)
        let server = RecordService(
            settings, stores, logger: logger, clock: WallClock.milliseconds)
        do {
            try await server.run { port in
                logger.notice("serving", metadata: ["port": "\(port)"])
            }
        } catch {
            try stores.close()
            throw error
        }
        try stores.close()
        logger.notice("stopped")
        #else
        throw SettingsFault(
            "this bulla-records was built without its server: build it with --traits Service")
        #endif
    }
}

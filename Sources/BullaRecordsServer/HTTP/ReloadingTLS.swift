#if Service
internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import NIOSSL
internal import Synchronization

/// The certificate for new connections; the service can read it again while it runs.
final class ReloadingTLS: Sendable {
    private let certificateFile: String
    private let privateKeyFile: String
    private let context: Mutex<NIOSSLContext>

    /// - Throws: an error if the files cannot be read, or do not belong together.
    init(_ settings: ServiceSettings) throws {
        certificateFile = settings.certificateFile
        privateKeyFile = settings.privateKeyFile
        context = Mutex(try Self.context(certificateFile, privateKeyFile))
    }

    /// Reads the files; if they are invalid, the previous certificate stays in use.
    func reload() throws {
        let fresh = try Self.context(certificateFile, privateKeyFile)
        context.withLock { $0 = fresh }
    }

    var current: NIOSSLContext { context.withLock { $0 } }

    private static func context(
        _ certificateFile: String, _ privateKeyFile: String
    ) throws -> NIOSSLContext {
        let chain = try NIOSSLCertificate.fromPEMFile(certificateFile)
        let key = try NIOSSLPrivateKey(file: privateKeyFile, format: .pem)
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
        // NIST SP 800-52, revision 2, section 3.1.
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["http/1.1"]
        // A client that does not close TLS properly gets no more time than this.
        configuration.shutdownTimeout = .seconds(1)
        return try NIOSSLContext(configuration: configuration)
    }
}

/// A TLS channel around another kind of channel.
struct ReloadingTLSChannel<Base: ServerChildChannel>: ServerChildChannel {
    let base: Base
    let tls: ReloadingTLS

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Base.Value> {
        channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(
                NIOSSLServerHandler(context: tls.current))
        }.flatMap { base.setup(channel: channel, logger: logger) }
    }

    func handle(value: Base.Value, logger: Logger) async {
        await base.handle(value: value, logger: logger)
    }
}
#endif

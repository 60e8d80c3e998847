#if Service && Remote
import Bulla
import BullaProcessSupport
import BullaRecords
import BullaRecordsRemote
import BullaRecordsServer
import BullaRecordsWeb
import BullaTestSupport
import Foundation
import Synchronization
import Testing

/// `bulla-records serve` as a process of its own, with a container and a program; accounts are made
/// in its stores, which this process has open, too.
final class ServiceProcess: Sendable {
    static let place = Place("iCloud.org.example.notes", .development)

    let stores: ServiceStores
    /// The token of the program.
    let token: String
    private let scratch: Scratch
    private let hasTLS: Bool
    private let running = Mutex<Running?>(nil)
    private let accountCount = Mutex(0)

    /// Any thread may end the child, but only one at a time.
    private struct Running: @unchecked Sendable {
        let child: ChildProcess
        let port: Int
    }

    /// - Parameter settings: members of the settings, by their paths.
    init(tls: Bool = false, settings: [String: Int] = [:]) throws {
        scratch = try Scratch()
        hasTLS = tls
        try FileManager.default.createDirectory(
            atPath: scratch.path("data"), withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700])
        stores = try ServiceStores(
            at: scratch.path("data"), records: .store(Self.key(1)), accountsKey: Self.key(2),
            creation: .ifMissing, clock: { Int64(Date().timeIntervalSince1970 * 1_000) })
        try stores.addContainer(Self.place.container)
        token = try stores.keyring.programs.add("notebook", in: Self.place)
        for (name, number) in [("records", UInt8(1)), ("accounts", 2)] {
            let text = Self.bytes(number).map { String(UInt16($0) | 0x100, radix: 16).dropFirst() }
            try scratch.write(Array(text.joined().utf8), to: "\(name).key")
            try scratch.setMode(0o600, of: "\(name).key")
        }
        if tls { try makeCertificate() }
        try start(settings)
    }

    deinit {
        stop()
        try? stores.close()
    }

    private static func bytes(_ number: UInt8) -> [UInt8] {
        (0..<64).map { $0 &* 3 &+ number }
    }

    private static func key(_ number: UInt8) throws -> StoreKey { try StoreKey(bytes(number)) }

    /// The path of the certificate, which vouches for itself.
    var authorities: String { scratch.path("tls.pem") }

    private func makeCertificate() throws {
        try openssl([
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
            "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost",
            "-keyout", scratch.path("tls-key.pem"), "-out", authorities,
        ])
    }

    /// Admits a server.
    func serverKey() throws -> (identifier: String, privateText: String) {
        let (key, published) = (scratch.path("server.pem"), scratch.path("server-public.der"))
        try openssl(["ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", key])
        try openssl(["ec", "-in", key, "-pubout", "-outform", "DER", "-out", published])
        let identifier = try stores.keyring.servers.add(
            SigningServer("server", publicKey: scratch.bytes("server-public.der")), in: Self.place)
        return (identifier, try String(contentsOfFile: key, encoding: .utf8))
    }

    private func openssl(_ arguments: [String]) throws {
        let child = try ChildProcess(
            "/usr/bin/openssl", arguments, key: nil, errors: scratch.path("openssl.log"))
        child.closeInput()
        let end = try child.wait(patience: TestMode.patience)
        try #require(end == .done)
    }

    /// Starts the service, and waits until it says on which port it serves.
    func start(_ settings: [String: Int] = [:], port: Int = 0) throws {
        var members: [String: Any] = [
            "data": scratch.path("data"), "publicURL": "https" + "://elsewhere.invalid",
            "listen": ["host": hasTLS ? "localhost" : "127.0.0.1", "port": port],
            "keys": [
                "records": "file:" + scratch.path("records.key"),
                "accounts": "file:" + scratch.path("accounts.key"),
            ],
        ]
        if hasTLS {
            members["tls"] = [
                "certificate": authorities, "privateKey": scratch.path("tls-key.pem"),
            ]
        }
        for (path, value) in settings {
            let names = path.split(separator: ".").map(String.init)
            var inner = members[names[0]] as? [String: Any] ?? [:]
            inner[names[1]] = value
            members[names[0]] = inner
        }
        let file = scratch.path("settings.json")
        try JSONSerialization.data(withJSONObject: members).write(to: URL(fileURLWithPath: file))
        let log = scratch.path("log")
        try? scratch.remove("log")
        let child = try ChildProcess(
            WorkerProcess.executable("bulla-records"), ["serve", "--settings", file], key: nil,
            errors: log)
        let start = ContinuousClock.now
        while ContinuousClock.now < start + TestMode.patience {
            if let port = Self.port(log) {
                running.withLock { $0 = Running(child: child, port: port) }
                return
            }
            try #require(child.ended() == nil, "it does not start: see its log")
            Thread.sleep(forTimeInterval: 0.01)
        }
        throw WorkerHangs()
    }

    /// The port in the log's line about serving; `nil` if there is none yet.
    private static func port(_ log: String) -> Int? {
        let text = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
        for line in text.split(separator: "\n") where line.contains("\"serving\"") {
            let words = line.split { !$0.isNumber && !$0.isLetter }
            guard let place = words.lastIndex(of: "port"), place + 1 < words.count else { continue }
            return Int(words[place + 1])
        }
        return nil
    }

    /// What the service has written to its log.
    var log: String { (try? String(contentsOfFile: scratch.path("log"), encoding: .utf8)) ?? "" }

    var port: Int { running.withLock { $0?.port ?? 0 } }

    var url: String {
        hasTLS ? "https" + "://localhost:\(port)" : "http" + "://127.0.0.1:\(port)"
    }

    func stop() {
        let former = running.withLock { running in
            defer { running = nil }
            return running
        }
        guard let child = former?.child else { return }
        child.signal(ChildProcess.kill)
        _ = try? child.wait(patience: TestMode.patience)
    }

    /// Makes an account whose password is `the password of` followed by its name.
    func account(_ name: String? = nil) throws -> String {
        let number = accountCount.withLock { count in
            count += 1
            return count
        }
        let name = name ?? "user\(number)"
        let key = try StoreKey.password(Secret("the password of \(name)"))
        _ = try stores.addAccount(named: name, in: Self.place, unlockedBy: key)
        return name
    }

    /// How to reach the service, with the program's token.
    func access(authorities: String? = nil) throws -> RecordServiceAccess {
        let known = hasTLS ? self.authorities : nil
        return try RecordServiceAccess(
            url: url, token: Secret(token), authorities: authorities ?? known)
    }

    /// A container of the service, with an account that is signed in: the named one, or else a new
    /// one.
    func container(_ name: String? = nil) async throws -> CKContainer {
        // Stretching passwords takes time, and the service stretches only a few at once.
        var patience = RemotePatience()
        patience.attemptLimit = 100
        let container = try CKContainer.connect(
            identifier: Self.place.container, to: access(), patience: patience
        ) { $0 }
        let name = try name ?? account()
        try await container.signIn(
            accountName: name, password: Secret("the password of \(name)"))
        return container
    }
}

/// Starts a service, runs a suite that uses it, and stops it.
struct ServiceScope: SuiteTrait, TestScoping {
    func provideScope(
        for test: Test, testCase: Test.Case?, performing body: @Sendable () async throws -> Void
    ) async throws {
        // Tests send more requests than people do.
        let service = try ServiceProcess(
            settings: [
                "limits.requestsPerSecond": 10_000, "limits.requestBurst": 10_000,
                "limits.passwords": 8,
            ])
        try await ServiceProcess.$current.withValue(service) { try await body() }
        service.stop()
    }
}

extension Trait where Self == ServiceScope {
    static var service: ServiceScope { ServiceScope() }
}

extension ServiceProcess {
    @TaskLocal static var current: ServiceProcess?

    static var present: ServiceProcess {
        get throws { try #require(current) }
    }
}
#endif

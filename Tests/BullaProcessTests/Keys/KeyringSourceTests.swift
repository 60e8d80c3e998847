import Bulla
import BullaProcessSupport
import BullaTestSupport
import BullaWorker
import Foundation
import Glibc
import Testing

@Suite struct `A key in a keyring of the kernel` {
    private static let hasSession = KeyringKeySource.Place.allowed.contains(.session)
    private static let denied: Comment = "the kernel denies this process its keyrings"

    private let files: TestStore
    private let name = "bulla-test-\(UUID())"
    private let secret: Secret

    init() throws {
        files = try TestStore(.gcm)
        secret = try StoreKind.keyBytes.withBytes { try Secret($0) }
    }

    private func code(_ body: () throws -> Void) -> BullaError.Code? {
        do { try body() } catch { return (error as? BullaError)?.code }
        return nil
    }

    private func worker(
        _ place: KeyringKeySource.Place = .session, _ values: String..., launcher: [String] = []
    ) throws -> SecretWorker {
        try SecretWorker(
            files, ["source=keyring", "place=\(place)", "name=\(name)"] + values,
            launcher: launcher)
    }

    @Test(.enabled(if: hasSession, denied), arguments: KeyringKeySource.Place.allowed)
    func `is read as it was left, here and in another process, until it is removed`(
        place: KeyringKeySource.Place
    ) throws {
        let source = KeyringKeySource(name, in: place)
        #expect(code { _ = try source.load() } == .keySourceMissing)
        #expect(code { try source.remove() } == .keySourceMissing)
        try source.store(Secret("former"), expiringAfter: .seconds(3600))
        try source.store(secret, expiringAfter: .seconds(3600))
        #expect(try source.load().withBytes { $0.withBytes { $0 } } == StoreKind.keyBytes)
        #expect(try worker(place).finalAnswer() == .secret(StoreKind.keyBytes))
        try source.remove()
        #expect(code { _ = try source.load() } == .keySourceMissing)
        #expect(try worker(place).finalAnswer() == .refused(.keySourceMissing))
    }

    @Test(.enabled(if: hasSession, denied), arguments: [false, true])
    func `serves three processes after one has unlocked`(isPassword: Bool) throws {
        let store = try files.open()
        try Records(count: 100).write(to: store, version: 0, durability: .full)
        let digest = try store.read { try $0.digestOfAll() }
        let handover = KeyringKeySource(name, in: .session)
        if isPassword {
            let password = try StoreKey.password(Secret("open sesame"))
            try store.addSlot(for: password)
            let unlocked = try password.unlocked(for: files.path)
            try handover.store(unlocked.withBytes { try Secret($0) }, expiringAfter: .seconds(3600))
        } else {
            try handover.store(secret, expiringAfter: .seconds(3600))
        }
        let workers = try (0..<3).map { _ in try worker(.session, "verb=open") }
        for worker in workers {
            #expect(try worker.answer() == .digest(digest))
            // Stretching a password would take 128 MiB, so the worker has not stretched one.
            let peak = try WorkerProcess.parse(try #require(try worker.process.line()))
            #expect(peak.name == "peak" && peak.value < 100 << 20)
            _ = try worker.process.stop()
        }
        try handover.remove()
        #expect(try worker(.session, "verb=open").finalAnswer() == .refused(.keySourceMissing))
    }

    @Test(.enabled(if: hasSession, denied))
    func `is refused when its time is over`() throws {
        let source = KeyringKeySource(name, in: .session)
        try source.store(secret, expiringAfter: .milliseconds(1))
        var found: BullaError.Code?
        while found == nil {
            usleep(10_000)
            found = code { _ = try source.load() }
        }
        #expect(found == .keySourceExpired)
        // Another secret takes the place of the expired one, and stays.
        try source.store(secret, expiringAfter: nil)
        #expect(try source.load().byteCount == StoreKind.keyBytes.count)
        try source.remove()
    }

    @Test(.enabled(if: hasSession, denied))
    func `is refused when somebody has revoked it`() throws {
        let source = KeyringKeySource(name, in: .session)
        try source.store(secret, expiringAfter: .seconds(3600))
        try #require(KernelKeys.revoke(name))
        // The revoked key is still there, because the kernel removes it from the keyring only after
        // minutes.
        #expect(code { _ = try source.load() } == .keySourceRevoked)
    }

    @Test(
        .enabled(if: hasSession && Privilege.isUserChangeable, "no keyrings, or no other user"))
    func `is refused when the user's quota is used up`() throws {
        let worker = try worker(
            .session, "verb=fill", "count=300", launcher: Privilege.nobodyLauncher)
        #expect(try worker.finalAnswer() == .refused(.keySourceFull))
    }

    @Test(arguments: KeyringKeySource.Place.all, [EPERM, EACCES, ENOSYS])
    func `is refused where the kernel or a container denies it`(
        place: KeyringKeySource.Place, number: Int32
    ) throws {
        for verb in ["load", "store"] {
            let worker = try worker(place, "verb=\(verb)", "keyctl=\(number)")
            #expect(try worker.finalAnswer() == .refused(.keySourceDenied))
        }
    }

    @Test(arguments: ["", String(repeating: "x", count: 4096), "a\0b"])
    func `has a description that the kernel takes`(description: String) throws {
        let source = KeyringKeySource(description, in: .session)
        #expect(code { _ = try source.load() } == .invalidArgument)
        #expect(code { try source.store(secret, expiringAfter: nil) } == .invalidArgument)
        #expect(code { try source.remove() } == .invalidArgument)
    }

    @Test(arguments: [Duration.zero, .seconds(-1), .seconds(1 << 32), .seconds(Int64.max)])
    func `has a time that is positive and not too long`(timeout: Duration) throws {
        let source = KeyringKeySource(name, in: .session)
        #expect(code { try source.store(secret, expiringAfter: timeout) } == .invalidArgument)
    }
}

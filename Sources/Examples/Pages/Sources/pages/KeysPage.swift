import Bulla
import Foundation
import Synchronization

/// The samples of `Keys.md`, in its order.
struct KeysPage {
    static let source = #filePath
    let password: Secret

    init() throws { password = try "correct horse".withBytes { try Secret($0) } }

    func run() async throws {
        try await inFolder("Overview") { try overview() }
        try await inFolder("Slots") { try slots() }
        try await inFolder("A second key, and a lost one") { try changes() }
        try await inFolder("What each change revokes") { try verbs() }
        try await inFolder("Key services") { try await services() }
        try await inFolder("Sources") { try ownSource() }
        try await inFolder("Refusals") { try refusals() }
        try await inFolder("Unlock once") { try whereAllowed(handOver) }
        allowUnlockedKeys()
    }

    /// Runs a sample that needs the kernel's keyring, or skips it where the keyring is denied, as
    /// in many containers.
    private func whereAllowed(_ body: () throws -> Void) throws {
        do { try body() } catch let error as BullaError where error.code == .keySourceDenied {
            print("pages: skipped what needs the kernel's keyring: \(error.message)")
        }
    }

    private func overview() throws {
        let key = try StoreKey(from: CredentialKeySource("ledger", trimsNewline: false))
        let store = try Store.open(at: "ledger.bulla", key: key)
        try store.close()
    }

    private func slots() throws {
        let store = try Store.open(at: "ledger.bulla", key: .password(password))

        // A second way in, to be printed and locked away.
        let recovery = try StoreKey.random()
        try store.addSlot(for: recovery, label: "recovery")

        for slot in try store.keySlots() {
            print(slot.number, slot.kind?.rawValue ?? "?", slot.label ?? "")
        }

        // When nobody needs the recovery key any more.
        try store.removeSlot(2)
        try store.close()
    }

    private func changes() throws {
        let store = try Store.open(at: "ledger.bulla", key: .password(password))
        let new = try StoreKey.random()
        let next = try StoreKey.random()
        try store.addSlot(for: StoreKey.random())
        try store.changeKey(to: new)  // changes the slot that opened the store
        try store.changeSlot(2, to: next)  // changes any slot
        try store.close()
    }

    private func verbs() throws {
        let store = try Store.open(at: "ledger.bulla", key: .password(password))
        let recovery = try StoreKey.random()
        try store.addSlot(for: recovery)
        try store.reencrypt(keys: [.password(password), recovery]) { progress in
            print(progress)
        }
        try store.close()
    }

    private func services() async throws {
        let service = Drawer()
        let store = try await Store.open(at: "ledger.bulla", key: .password(password))
        let key = try await StoreKey.random(wrappedBy: service)  // a new key, for a new slot
        try await store.addSlot(for: key, label: "service")
        try await store.close()
        try await openByService(service)
        try await wrap(by: KMSWrapper(client: KMSDrawer(drawer: service), keyID: "ledger"))
        try await wrap(by: TransitWrapper(key: "ledger", post: service.post))
    }

    /// Creates a store with a key that a service wraps, and opens the store with the key that the
    /// service unwraps.
    private func wrap(by service: some KeyWrapper) async throws {
        try await inFolder("Key services: \(service.name)") {
            let key = try await StoreKey.random(wrappedBy: service)
            try await Store.open(at: "ledger.bulla", key: key).close()
            let unwrapped = try await StoreKey.unwrapped(by: service, for: "ledger.bulla")
            try await Store.open(at: "ledger.bulla", key: unwrapped).close()
        }
    }

    private func openByService(_ service: some KeyWrapper) async throws {
        let store = try await Store.open(
            at: "ledger.bulla",
            key: .unwrapped(by: service, for: "ledger.bulla", slotLabel: "service"))
        try await store.close()
    }

    private func ownSource() throws {
        let manager = ["first": Array("correct horse".utf8)]
        let sources = FirstKeySource(
            ["none", "first"].map { name in ManagerKeySource(name: name) { manager[$0] } })
        let store = try Store.open(at: "ledger.bulla", key: .password(sources.load()))
        try store.close()
    }

    private func refusals() throws {
        let sources = FirstKeySource([
            CredentialKeySource("ledger"),
            FileKeySource("/etc/ledger/password"),
            PromptKeySource("Password of the ledger: "),
        ])
        let password = try sources.load()
        _ = password
    }

    private func handOver() throws {
        let key = try StoreKey(from: CredentialKeySource("ledger", trimsNewline: false))
        try Store.open(at: "ledger.bulla", key: key).close()
        try parent()
        let handover = KeyringKeySource("ledger", in: .session)
        try handover.store(key.withBytes { try Secret($0) }, expiringAfter: nil)
        try worker()
        try handover.remove()
        try handOverWhatWasStretched(handover)
    }

    private func parent() throws {
        // The parent, before it starts threads.
        let secret = try CredentialKeySource("ledger", trimsNewline: false).load()
        let handover = KeyringKeySource("ledger", in: .session)
        try handover.store(secret, expiringAfter: .seconds(3600))

        // It starts its workers, waits for them, and takes the key back.
        try handover.remove()
    }

    private func worker() throws {
        // Each worker.
        let key = try StoreKey(from: KeyringKeySource("ledger", in: .session))
        let store = try Store.open(at: "ledger.bulla", key: key)
        try store.close()
        try FileManager.default.removeItem(atPath: "ledger.bulla")
    }

    private func allowUnlockedKeys() {
        KeyMemory.policy = .bestEffort
    }

    private func handOverWhatWasStretched(_ handover: KeyringKeySource) throws {
        try Store.open(at: "ledger.bulla", key: .password(password)).close()
        let unlocked = try StoreKey.password(password).unlocked(for: "ledger.bulla")
        try handover.store(unlocked.withBytes { try Secret($0) }, expiringAfter: nil)
        try worker()
        try handover.remove()
    }
}

struct ManagerKeySource: KeySource {
    let name: String
    /// Asks the secret manager; `nil` if it has no secret of that name.
    let fetch: @Sendable (_ name: String) -> [UInt8]?

    func load() throws(BullaError) -> Secret {
        guard let bytes = fetch(name) else {
            throw BullaError(.keySourceMissing, "take a secret from \(name): it has none")
        }
        return try bytes.withBytes { bytes throws(BullaError) in try Secret(bytes) }
    }
}

/// A key service that keeps the keys in memory, and returns a number in place of each wrapped key.
private final class Drawer: KeyWrapper {
    let name = "the drawer"
    private let keys = Mutex<[Secret]>([])

    func wrap(_ key: Secret) async throws -> [UInt8] {
        keys.withLock { keys in
            keys.append(key)
            return [UInt8(keys.count)]
        }
    }

    func unwrap(_ wrapped: [UInt8]) async throws -> Secret {
        keys.withLock { $0[Int(wrapped[0]) - 1] }
    }
}

/// The two calls to KMS that the program needs; the program's KMS library has its own form of them.
protocol KMSClient: Sendable {
    func encrypt(
        keyID: String, plaintext: [UInt8], context: [String: String]
    ) async throws -> [UInt8]
    func decrypt(ciphertext: [UInt8], context: [String: String]) async throws -> [UInt8]
}

struct KMSWrapper<Client: KMSClient>: KeyWrapper {
    let name = "AWS KMS"
    let client: Client
    let keyID: String
    let context = ["store": "ledger"]

    func wrap(_ key: Secret) async throws -> [UInt8] {
        let bytes = key.withBytes { [UInt8](copying: $0) }
        return try await client.encrypt(keyID: keyID, plaintext: bytes, context: context)
    }

    func unwrap(_ wrapped: [UInt8]) async throws -> Secret {
        try await client.decrypt(ciphertext: wrapped, context: context)
            .withBytes { try Secret($0) }
    }
}

struct TransitWrapper: KeyWrapper {
    let name = "Vault transit"
    let key: String
    /// Posts `data` to a path of the server, and returns the `data` of its answer.
    let post: @Sendable (_ path: String, _ data: [String: String]) async throws -> [String: String]

    func wrap(_ secret: Secret) async throws -> [UInt8] {
        let plaintext = secret.withBytes { Data([UInt8](copying: $0)).base64EncodedString() }
        let answer = try await post("/v1/transit/encrypt/\(key)", ["plaintext": plaintext])
        guard let ciphertext = answer["ciphertext"] else { throw URLError(.badServerResponse) }
        return Array(ciphertext.utf8)
    }

    func unwrap(_ wrapped: [UInt8]) async throws -> Secret {
        let ciphertext = String(decoding: wrapped, as: UTF8.self)
        let answer = try await post("/v1/transit/decrypt/\(key)", ["ciphertext": ciphertext])
        guard let plaintext = answer["plaintext"].flatMap({ Data(base64Encoded: $0) }) else {
            throw URLError(.badServerResponse)
        }
        return try [UInt8](plaintext).withBytes { try Secret($0) }
    }
}

/// A KMS client whose keys are in the drawer.
private struct KMSDrawer: KMSClient {
    let drawer: Drawer

    func encrypt(
        keyID: String, plaintext: [UInt8], context: [String: String]
    ) async throws -> [UInt8] {
        try await drawer.wrap(plaintext.withBytes { try Secret($0) })
    }

    func decrypt(ciphertext: [UInt8], context: [String: String]) async throws -> [UInt8] {
        try await drawer.unwrap(ciphertext).withBytes { [UInt8](copying: $0) }
    }
}

extension Drawer {
    /// Answers as the transit engine does, with keys from the drawer.
    @Sendable fileprivate func post(
        _ path: String, _ data: [String: String]
    ) async throws -> [String: String] {
        if let plaintext = data["plaintext"].flatMap({ Data(base64Encoded: $0) }) {
            let secret = try [UInt8](plaintext).withBytes { try Secret($0) }
            return ["ciphertext": "vault:v1:\(try await wrap(secret)[0])"]
        }
        let number = data["ciphertext"]?.split(separator: ":").last.flatMap { UInt8($0) }
        let secret = try await unwrap([number ?? 0])
        return ["plaintext": secret.withBytes { Data([UInt8](copying: $0)).base64EncodedString() }]
    }
}

import Bulla
import BullaTestSupport
import Synchronization
import Testing

/// Slots whose keys come from passwords and from key services.
@Suite struct `A slot of a password` {
    private let scratch: Scratch
    private var path: String { scratch.path("s.bulla") }

    init() throws { scratch = try Scratch() }

    private static func password(_ text: String, slot: String? = nil) throws -> StoreKey {
        try .password(Secret(text), slotLabel: slot)
    }

    private func slot(opening key: StoreKey) throws -> Int? {
        let store = try Store.open(at: path, key: key)
        defer { try? store.close() }
        return store.openedSlot
    }

    @Test func `opens the store by its exact bytes, and once unlocked without stretching`() throws {
        let key = try Self.password("correct horse")
        let store = try Store.open(at: path, key: key)
        #expect(try store.keySlots().map(\.kind) == [.password])
        #expect(try store.keySlots()[0].stretching == .recommended)
        try store.close()
        #expect(try slot(opening: Self.password("correct horse")) == 1)
        for wrong in ["correct horse ", "Correct horse", "correct hors"] {
            #expect(try !Store.verifyKey(Self.password(wrong), at: path))
        }
        // Only its length distinguishes the unlocked key from a password, and this key opens the
        // same slot as the password.
        let unlocked = try Self.password("correct horse").unlocked(for: path)
        let bytes = try unlocked.withBytes { [UInt8](copying: $0) }
        #expect(bytes.count == StoreKey.byteCount)
        #expect(try slot(opening: StoreKey(bytes)) == 1)
        #expect(refusal { try key.withBytes { _ in } }?.code == .invalidArgument)
        #expect(refusal { _ = try Self.password("x").unlocked(for: path) }?.code == .wrongKey)
        // Once the slot is changed, the unlocked key no longer opens it.
        let again = try Store.open(at: path, key: unlocked)
        try again.changeKey(to: Self.password("correct horse"))
        try again.close()
        #expect(try !Store.verifyKey(unlocked, at: path))
        #expect(try slot(opening: Self.password("correct horse")) == 1)
    }

    @Test func `gets the label that a new password names`() throws {
        let store = try StoreKind.gcm.open(path)
        try store.addSlot(for: Self.password("a", slot: "desk"))
        try store.close()
        let again = try Store.open(at: path, key: Self.password("a", slot: "desk"))
        try again.changeKey(to: Self.password("b", slot: "laptop"))
        #expect(try again.keySlots().map(\.label) == [nil, "laptop"])
        try again.changeSlot(2, to: Self.password("c"))
        #expect(try again.keySlots().map(\.label) == [nil, "laptop"])
        try again.changeSlot(2, to: Self.password("b", slot: "laptop"))
        try again.close()
        #expect(try slot(opening: Self.password("b", slot: "laptop")) == 2)
    }

    @Test func `is named by its label, or one of three that are tried`() throws {
        let store = try StoreKind.gcm.open(path)
        try store.addSlot(for: Self.password("a"), label: "admin")
        try store.addSlot(for: Self.password("b"))
        try store.addSlot(for: Self.password("c"))
        try store.addSlot(for: Self.password("d", slot: "dora"))
        #expect(try store.keySlots().map(\.label) == [nil, "admin", nil, nil, "dora"])
        try store.addSlot(for: Self.password("e"))
        #expect(refusal { _ = try store.addSlot(for: Self.password("f")) }?.code == .keySlotsFull)
        try store.close()
        #expect(try slot(opening: Self.password("b")) == 3)
        #expect(try slot(opening: Self.password("e")) == 6)
        #expect(try slot(opening: Self.password("a", slot: "admin")) == 2)
        // Only the first three password slots without a label are tried.
        #expect(refusal { _ = try slot(opening: Self.password("a")) }?.code == .wrongKey)
        let other = refusal { _ = try slot(opening: Self.password("b", slot: "admin")) }
        #expect(other?.code == .wrongKey)
        let missing = refusal { _ = try slot(opening: Self.password("a", slot: "nobody")) }
        #expect(missing?.code == .keySlotNotFound)
    }

    @Test func `is refused where it would be stretched too little or too much`() throws {
        for logN in [16, 21] {
            let refused = refusal { _ = try PasswordStretching.scrypt(logN: logN) }
            #expect(refused?.code == .passwordParameters)
        }
        let weak = refusal { _ = try PasswordStretching.pbkdf2(iterations: 599_999) }
        #expect(weak?.code == .passwordParameters)
        let store = try StoreKind.gcm.open(path)
        let pbkdf2 = try PasswordStretching.pbkdf2(iterations: 600_000)
        try store.addSlot(for: .password(Secret("p"), stretching: pbkdf2))
        #expect(try store.keySlots()[1].stretching == pbkdf2)
        try store.close()
        #expect(try slot(opening: Self.password("p")) == 2)
        // A file that names fewer iterations than the floor is refused before any work.
        var bytes = try scratch.bytes("s.bulla")
        let first = 4096 + 224
        let second = first + Int(bytes[first]) + Int(bytes[first + 1]) << 8
        // The number of iterations comes after the kind. It is 600 000 = 0x0927C0, so a zero as its
        // second byte makes it smaller by 39 * 256.
        for copy in [0, 32768] { bytes[second + copy + 16 + 5] = 0 }
        var image = StoreImage(bytes)
        try image.setKeyringVersion(2)
        try scratch.write(image.bytes, to: "s.bulla")
        let refused = refusal { _ = try slot(opening: Self.password("p")) }
        #expect(refused?.code == .passwordParameters)
        #expect(refusal { _ = try Secret("") }?.code == .invalidArgument)
        let long = try Secret(String(repeating: "x", count: 1025))
        #expect(refusal { _ = try StoreKey.password(long) }?.code == .invalidArgument)
    }

    /// A key service that counts its calls.
    private final class Service: KeyWrapper {
        let name = "a service of the tests"
        private let file: FileKeyWrapper
        private let calls = Mutex(0)

        init(_ path: String) { file = FileKeyWrapper(path) }

        var unwrapCount: Int { calls.withLock { $0 } }

        func wrap(_ key: Secret) async throws -> [UInt8] { try await file.wrap(key) }

        func unwrap(_ wrapped: [UInt8]) async throws -> Secret {
            calls.withLock { $0 += 1 }
            return try await file.unwrap(wrapped)
        }
    }

    /// The key file of a service; a longer file begins with the same keys.
    private func writeServiceKeys(_ count: Int, mode: Int = 0o600) throws {
        let keys = (0..<count).flatMap { [UInt8](repeating: UInt8($0 + 1), count: 32) }
        try scratch.write(keys, to: "service.keys")
        try scratch.setMode(mode, of: "service.keys")
    }

    @Test func `is not opened by a service whose file is not right`() async throws {
        let service = FileKeyWrapper(scratch.path("service.keys"))
        let key = try [UInt8](repeating: 7, count: 64).withBytes { try Secret($0) }
        #expect(await refusal { _ = try await service.wrap(key) }?.code == .keySourceMissing)
        try writeServiceKeys(2)
        let wrapped = try await service.wrap(key)
        #expect(wrapped.count == 64 + 32)
        let unwrapped = try await service.unwrap(wrapped)
        #expect(unwrapped.withBytes { [UInt8](copying: $0) } == [UInt8](repeating: 7, count: 64))
        #expect(try await service.wrap(key) != wrapped)
        for index in wrapped.indices {
            var changed = wrapped
            changed[index] ^= 1
            let refused = await refusal { _ = try await service.unwrap(changed) }
            #expect(refused?.code == .wrongKey, "byte \(index)")
        }
        for count in [0, 32, wrapped.count - 1] {
            let cut = Array(wrapped.prefix(count))
            #expect(await refusal { _ = try await service.unwrap(cut) }?.code == .wrongKey)
        }
        // The service's key that wrapped it is gone.
        try writeServiceKeys(1)
        #expect(await refusal { _ = try await service.unwrap(wrapped) }?.code == .wrongKey)
        try scratch.write([1, 2, 3], to: "service.keys")
        #expect(await refusal { _ = try await service.wrap(key) }?.code == .invalidArgument)
        try writeServiceKeys(2, mode: 0o640)
        #expect(await refusal { _ = try await service.wrap(key) }?.code == .keyFileMode)
    }

    @Test func `may be beside one of a key service, which wraps it anew`() async throws {
        try writeServiceKeys(1)
        let service = Service(scratch.path("service.keys"))
        let wrapped = try await StoreKey.random(wrappedBy: service)
        let path = path
        try await Store.open(at: path, key: wrapped).close()
        #expect(try Store.keySlots(at: path).map(\.kind) == [.service])
        try writeServiceKeys(2)
        let key = try await StoreKey.unwrapped(by: service, for: path)
        #expect(service.unwrapCount == 1)
        // Try both the key that the service wrapped and the key that it unwrapped.
        for key in [wrapped, key] {
            let store = try await Store.open(at: path, key: key)
            try await store.changeSlot(1, to: try await key.wrapped(by: service))
            try await store.close()
        }
        let again = try await StoreKey.unwrapped(by: service, for: path)
        try await Store.open(at: path, key: again).close()
        let missing = await refusal {
            _ = try await StoreKey.unwrapped(by: service, for: path, slotLabel: "other")
        }
        #expect(missing?.code == .keySlotNotFound)
        let password = try Self.password("x")
        let refused = await refusal { _ = try await password.wrapped(by: service) }
        #expect(refused?.code == .invalidArgument)
    }
}

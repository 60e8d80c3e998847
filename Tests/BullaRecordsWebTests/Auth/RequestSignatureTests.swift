import BullaCipher
import BullaMemory
import BullaRecordsWeb
import BullaText
import Testing

@Suite("Signed requests")
struct RequestSignatureTests {
    private static let date = "2026-11-23T12:00:00Z"
    private static let now: Int64 = 1_795_435_200_000
    private static let path = "/database/1/iCloud.org.example.notes/development/public"
    private static let body = Array("{\"operations\":[]}".utf8)
    /// Made with the command `openssl`, like the signatures below.
    private static let publicKey = joined(
        "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEub1C2MWxq3Jj5uOpVUOcJo+WvXAenD6nmlDaM/YBQjv1f85y",
        "gMWsm4Lp2BI/xJGadV/LZkuaYDVbLNi066kSoA==")
    private static let ofModify = joined(
        "MEYCIQDVv/yPIrybHnxqFZTVVOunOcfli5nn9AZa5LMr3lm85AIhAMzFlhaH92QsA72uFWEvCbOlTvxZsyFs",
        "tVetWcN5rD5/")
    private static let ofEmptyCaller = joined(
        "MEYCIQDSTLtP1703M1+SPt20T/QPJvPXqm501JjwUobrTbOFYQIhAIjiMjnN1NixQsBRkayJhN03hOw9K7VC",
        "F2VGxMYZ4aOF")

    private func check(
        _ signature: String, target: String, body: [UInt8], now: Int64 = now, keyID: String = "k",
        date: String = date, memory: ReplayMemory? = nil
    ) throws {
        let signature = try #require(
            try RequestSignature(keyID: keyID, date: date, signature: signature))
        let key = try #require(Base64.bytes(Self.publicKey.utf8))
        try signature.check(target: target, body: body, now: now, memory: memory) {
            message, signature, keyID in
            keyID == "k"
                && message.withView { message in
                    (try? Signature.verifyP256(signature, of: message, by: key)) != nil
                }
        }
    }

    @Test("A request that its sender has signed is let in, with or without a query")
    func good() throws {
        let target = Self.path + "/records/modify"
        try check(Self.ofModify, target: target, body: Self.body)
        try check(Self.ofModify, target: target + "?a=b", body: Self.body)
        try check(Self.ofEmptyCaller, target: Self.path + "/users/caller", body: [])
    }

    @Test("A request that its sender has not signed is refused")
    func bad() {
        let target = Self.path + "/records/modify"
        for (target, body, keyID, date) in [
            (target, Self.body + [32], "k", Self.date), (target, [], "k", Self.date),
            (target + "x", Self.body, "k", Self.date),
            (Self.path + "/records/query", Self.body, "k", Self.date),
            (target, Self.body, "other", Self.date),
            (target, Self.body, "k", "2026-11-23T12:00:01Z"),
            (target, Self.body, "k", "2026-11-23T13:00:00+01:00"),
        ] {
            let error = #expect(throws: WebError.self) {
                try check(Self.ofModify, target: target, body: body, keyID: keyID, date: date)
            }
            #expect(
                error?.reason
                    == "check the request's signature: the key has not signed this request")
            #expect(error?.code == .authenticationFailed)
        }
    }

    @Test("The message is the date, the body's digest and the path")
    func messages() throws {
        let digest = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
        #expect(
            try RequestSignature.messages(date: "d", target: "/p?q", body: []).map(\.text)
                == ["d:\(digest):/p?q", "d::/p?q", "d:\(digest):/p", "d::/p"])
        #expect(
            try RequestSignature.messages(date: "d", target: "/p", body: Array("abc".utf8))
                .map(\.text) == ["d:ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=:/p"])
    }

    @Test(
        "A date is good for ten minutes, and a minute ahead",
        arguments: [
            (0, true), (600_000, true), (600_001, false), (-60_000, true), (-60_001, false),
        ] as [(Int64, Bool)])
    func window(age: Int64, isGood: Bool) {
        let result = Result {
            try check(
                Self.ofModify, target: Self.path + "/records/modify", body: Self.body,
                now: Self.now + age)
        }
        let isLetIn = (try? result.get()) != nil
        #expect(isLetIn == isGood)
    }

    @Test("Headers that are not all there, or not what they should be, are refused")
    func headers() throws {
        #expect(try RequestSignature(keyID: nil, date: nil, signature: nil) == nil)
        for (keyID, date, signature) in [
            (nil, "d", "AA=="), ("k", nil, "AA=="), ("k", "d", nil), ("", "d", "AA=="),
            (String(repeating: "k", count: 256), "d", "AA=="), ("k", "d", "A"),
            ("k", "d", String(repeating: "AAAA", count: 65)),
        ] as [(String?, String?, String?)] {
            #expect(throws: WebError.self) {
                try RequestSignature(keyID: keyID, date: date, signature: signature)
            }
        }
    }

    @Test(
        "A signature that is not two numbers in DER never reaches the check of it",
        arguments: [
            [], [0x30], [0x30, 0], [0x30, 3, 2, 1, 1], [0x30, 6, 2, 1, 1, 2, 1],
            [0x30, 7, 2, 1, 1, 2, 1, 1, 0], [0x30, 0x81, 6, 2, 1, 1, 2, 1, 1],
            [0x30, 7, 2, 2, 0, 1, 2, 1, 1], [0x30, 6, 2, 1, 0x80, 2, 1, 1],
            [0x30, 6, 2, 1, 1, 3, 1, 1], [0x31, 6, 2, 1, 1, 2, 1, 1], [0x30, 5, 2, 0, 2, 1, 1],
        ] as [[UInt8]])
    func notDER(bytes: [UInt8]) throws {
        let signature = try #require(
            try RequestSignature(keyID: "k", date: Self.date, signature: Base64.text(bytes)))
        let error = #expect(throws: WebError.self) {
            try signature.check(
                target: "/", body: [], now: Self.now, memory: ReplayMemory()
            ) { _, _, _ in true }
        }
        #expect(error?.reason.hasSuffix("it is not two numbers in DER") == true)
    }

    @Test("A signature is good for one write, and its other form is good for none")
    func replay() throws {
        let memory = ReplayMemory()
        func check(
            _ bytes: [UInt8], keyID: String = "k", now: Int64 = Self.now, isGood: Bool = true
        ) throws {
            let signature = try #require(
                try RequestSignature(keyID: keyID, date: Self.date, signature: Base64.text(bytes)))
            try signature.check(target: "/", body: [], now: now, memory: memory) { _, _, _ in
                isGood
            }
        }
        let signature: [UInt8] = [0x30, 6, 2, 1, 1, 2, 1, 5]
        // An invalid signature leaves no trace.
        #expect(throws: WebError.self) { try check(signature, isGood: false) }
        #expect(memory.count == 0)
        try check(signature)
        for second in [5, 6] as [UInt8] {
            let error = #expect(throws: WebError.self) {
                try check([0x30, 6, 2, 1, 1, 2, 1, second])
            }
            #expect(error?.reason.hasSuffix("it was used for a write before") == true)
        }
        try check(signature, keyID: "other")
        try check([0x30, 6, 2, 1, 2, 2, 1, 5])
        #expect(memory.count == 3)
        #expect(throws: WebError.self) { try check(signature, now: Self.now + 600_000) }
    }

    @Test("The memory forgets what is too old, and refuses more than it can hold")
    func memoryLimit() throws {
        let memory = ReplayMemory(countLimit: 2_000)
        func write(
            _ index: Int, date: String = Self.date, now: Int64 = Self.now, keyID: String? = nil
        ) throws {
            let number: [UInt8] = [1, UInt8(index >> 8 & 255), UInt8(index & 255)]
            let signature = try #require(
                try RequestSignature(
                    keyID: keyID ?? "k\(index / 500)", date: date,
                    signature: Base64.text([0x30, 8, 2, 3] + number + [2, 1, 5])))
            try signature.check(target: "/", body: [], now: now, memory: memory) { _, _, _ in
                true
            }
        }
        for index in 0..<500 { try write(index) }
        // One key gets only a quarter of the memory, so that others can still write.
        let own = #expect(throws: WebError.self) { try write(500, keyID: "k0") }
        #expect(own?.code == .tryAgainLater)
        for index in 500..<2_000 { try write(index) }
        let error = #expect(throws: WebError.self) { try write(2_000) }
        #expect(error?.code == .tryAgainLater)
        let later = "2026-11-23T12:11:00Z"
        #expect(throws: WebError.self) { try write(2_000, date: later, now: Self.now + 660_000) }
        for index in 0..<2_000 { try write(index, date: later, now: Self.now + 660_001) }
        #expect(memory.count == 2_000)
    }
}

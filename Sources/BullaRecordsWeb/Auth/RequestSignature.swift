internal import BullaCipher
internal import BullaMemory
internal import BullaText

/// How a server signs a request that it sends for itself.
package struct RequestSignature: Hashable, Sendable {
    /// Whether a signature in DER is one of the message by the key of that name: by ECDSA over
    /// P-256 with SHA-256.
    package typealias Verifier =
        (_ message: [UInt8], _ signature: [UInt8], _ keyID: String) -> Bool

    package static let keyIDHeader = "X-Apple-CloudKit-Request-KeyID"
    package static let dateHeader = "X-Apple-CloudKit-Request-ISO8601Date"
    package static let signatureHeader = "X-Apple-CloudKit-Request-SignatureV1"

    /// How old a signature may be, and how far ahead of our clock its date.
    package static let ageLimit: Int64 = 10 * 60 * 1_000
    package static let leadLimit: Int64 = 60 * 1_000

    package let keyID: String
    /// As the header has it.
    package let date: String
    /// In DER.
    package let signature: [UInt8]

    /// What three headers say; `nil` where none of them is there.
    package init?(keyID: String?, date: String?, signature: String?) throws(WebError) {
        guard keyID != nil || date != nil || signature != nil else { return nil }
        guard let keyID, let date, let signature else {
            throw Self.refused("of its three headers not all are there")
        }
        guard (1...255).contains(keyID.utf8.count) else {
            throw Self.refused("its key has no name")
        }
        guard signature.utf8.count <= 256, let bytes = Base64.bytes(signature.utf8) else {
            throw Self.refused("it is not in base64")
        }
        self.keyID = keyID
        self.date = date
        self.signature = bytes
    }

    /// Checks that the key's owner has signed this request, not long ago and not for another one.
    ///
    /// - Parameters:
    ///   - target: the request's, as it was sent.
    ///   - now: milliseconds since 1970.
    ///   - memory: remembers the signatures of writes; `nil` for a request that only reads.
    /// - Throws: ``WebError`` that says which of these is not so.
    package func check(
        target: String, body: [UInt8], now: Int64, memory: ReplayMemory?, verifier: Verifier
    ) throws(WebError) {
        guard let signed = SignatureDate.milliseconds(date) else {
            throw Self.refused("its date is not as 2026-01-25T22:15:43Z, without a fraction")
        }
        guard signed >= now - Self.ageLimit else {
            throw Self.refused("it is older than ten minutes")
        }
        guard signed <= now + Self.leadLimit else {
            throw Self.refused("its date is more than a minute ahead")
        }
        // Of the two numbers that a signature is, whoever has seen it can turn the second into
        // another that is as good: so a replay is known by the first.
        guard let first = EllipticSignature.first(ofDER: signature) else {
            throw Self.refused("it is none of two numbers in DER")
        }
        let messages = try Self.messages(date: date, target: target, body: body)
        guard messages.contains(where: { verifier($0, signature, keyID) }) else {
            throw Self.refused("it is none of this request by this key")
        }
        try memory?.remember(keyID: keyID, first, now: now)
    }

    /// What clients sign: `date:digest:path`, where the path may have its query, and the digest of
    /// no body may be an empty text.
    package static func messages(
        date: String, target: String, body: [UInt8]
    ) throws(WebError) -> [[UInt8]] {
        let digest: Digest
        do throws(CipherError) {
            digest = try body.withView { view throws(CipherError) in
                try KeyDerivation.sha256(view)
            }
        } catch {
            throw WebError(.internalError, "digest the body: \(error)")
        }
        let digests = [Base64.text(digest.bytes)] + (body.isEmpty ? [""] : [])
        let path = target.prefix { $0 != "?" }
        let paths = [target] + (path.count < target.count ? [String(path)] : [])
        return paths.flatMap { path in digests.map { Array("\(date):\($0):\(path)".utf8) } }
    }

    private static func refused(_ reason: String) -> WebError {
        WebError(.authenticationFailed, "check the request's signature: \(reason)")
    }
}

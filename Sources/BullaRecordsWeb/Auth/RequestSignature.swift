internal import BullaCipher
internal import BullaMemory
internal import BullaText

/// A server's signature of the request that it sends.
package struct RequestSignature: Hashable, Sendable {
    /// Whether the key that `keyID` names made `signature` for `message` (ECDSA over P-256 with
    /// SHA-256, in DER).
    package typealias Verifier =
        (_ message: [UInt8], _ signature: [UInt8], _ keyID: String) -> Bool

    package static let keyIDHeader = "X-Apple-CloudKit-Request-KeyID"
    package static let dateHeader = "X-Apple-CloudKit-Request-ISO8601Date"
    package static let signatureHeader = "X-Apple-CloudKit-Request-SignatureV1"

    /// The greatest age of a signature in milliseconds, by our clock.
    package static let ageLimit: Int64 = 10 * 60 * 1_000
    /// How far a signature's date can be ahead of our clock, in milliseconds.
    package static let leadLimit: Int64 = 60 * 1_000

    package let keyID: String
    /// The value of the date header.
    package let date: String
    /// The signature in DER.
    package let signature: [UInt8]

    /// Reads the signature from three headers; `nil` if none of them is present.
    package init?(keyID: String?, date: String?, signature: String?) throws(WebError) {
        guard keyID != nil || date != nil || signature != nil else { return nil }
        guard let keyID, let date, let signature else {
            throw Self.refused("it needs three headers, and not all are there")
        }
        guard (1...255).contains(keyID.utf8.count) else {
            throw Self.refused("its key ID is empty or too long")
        }
        guard signature.utf8.count <= 256, let bytes = Base64.bytes(signature.utf8) else {
            throw Self.refused("it is not in base64")
        }
        self.keyID = keyID
        self.date = date
        self.signature = bytes
    }

    /// Checks that the server has signed this request recently, and that no earlier write used the
    /// signature.
    ///
    /// - Parameters:
    ///   - target: the request's target, as it was sent.
    ///   - now: the time in milliseconds since 1970.
    ///   - memory: remembers the signatures of writes; `nil` for a request that only reads.
    /// - Throws: ``WebError``, which says what is wrong.
    package func check(
        target: String, body: [UInt8], now: Int64, memory: ReplayMemory?, verifier: Verifier
    ) throws(WebError) {
        guard let signed = SignatureDate.milliseconds(date) else {
            throw Self.refused("its date is not of the form 2026-01-25T22:15:43Z")
        }
        guard signed >= now - Self.ageLimit else {
            throw Self.refused("it is older than ten minutes")
        }
        guard signed <= now + Self.leadLimit else {
            throw Self.refused("its date is more than a minute ahead")
        }
        // Anyone who has seen a signature can replace the second of its two numbers, which gives
        // another valid signature. So the memory recognises a replay by the first number.
        guard let first = EllipticSignature.first(ofDER: signature) else {
            throw Self.refused("it is not two numbers in DER")
        }
        let messages = try Self.messages(date: date, target: target, body: body)
        guard messages.contains(where: { verifier($0, signature, keyID) }) else {
            throw Self.refused("the key has not signed this request")
        }
        try memory?.remember(keyID: keyID, first, now: now)
    }

    /// The texts that clients may sign: `date:digest:path`, where the path may include its query,
    /// and the digest of an empty body may be an empty text.
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

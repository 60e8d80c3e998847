package import Bulla
internal import BullaCipher
internal import BullaMemory
internal import BullaRecords
internal import BullaRecordsWeb
internal import BullaText
internal import Foundation

/// The key with which a server signs its requests: ECDSA over P-256.
package struct RemoteServerKey: Sendable {
    private let keyID: String
    private let privateKey: Secret

    /// - Parameter privateKey: a private key in DER, or the text of a PEM file with one.
    package init(keyID: String, privateKey: Secret) {
        (self.keyID, self.privateKey) = (keyID, privateKey)
    }

    /// The headers that sign a request.
    ///
    /// - Parameter now: the time in milliseconds since 1970.
    /// - Throws: `authenticationFailed` if the key is not a P-256 key.
    func headers(
        _ path: String, _ body: [UInt8], now: Int64
    ) throws(RecordError) -> [WebHeader] {
        let date = Date(timeIntervalSince1970: Double(now / 1_000)).formatted(.iso8601)
        do {
            let messages = try RequestSignature.messages(date: date, target: path, body: body)
            let signature = try signature(of: messages[0])
            return [
                WebHeader(RequestSignature.keyIDHeader, keyID),
                WebHeader(RequestSignature.dateHeader, date),
                WebHeader(RequestSignature.signatureHeader, Base64.text(signature)),
            ]
        } catch {
            throw RecordError(
                .authenticationFailed, "sign a request: the server's key is not one of P-256")
        }
    }

    private func signature(of message: [UInt8]) throws(CipherError) -> [UInt8] {
        try privateKey.withBytes { text throws(CipherError) in
            try text.withView { text throws(CipherError) in
                var key = PrivateKeyText.der(text.copied())
                defer { key.wipe() }
                return try key.withView { key throws(CipherError) in
                    try message.withView { message throws(CipherError) in
                        try Signature.signP256(message, with: key)
                    }
                }
            }
        }
    }
}

/// A server's key gives access to a database.
extension RemoteServerKey: Untold {
    package var description: String { "the key of a server" }
}

/// A private key in a PEM file (RFC 7468).
private enum PrivateKeyText {
    /// The DER of the key; bytes that are not PEM are returned as they are.
    static func der(_ text: [UInt8]) -> [UInt8] {
        let lines = text.split(separator: UInt8(ascii: "\n"))
        guard let first = lines.firstIndex(where: { isMark($0, "-----BEGIN ") }),
            let last = lines[first...].firstIndex(where: { isMark($0, "-----END ") })
        else { return text }
        var letters = lines[(first + 1)..<last].flatMap { $0 }
        letters.removeAll { $0 == UInt8(ascii: "\r") }
        defer { letters.wipe() }
        return Base64.bytes(letters) ?? text
    }

    private static func isMark(_ line: ArraySlice<UInt8>, _ begin: String) -> Bool {
        let line = String(decoding: line, as: UTF8.self)
        return line.hasPrefix(begin) && line.contains("PRIVATE KEY-----")
    }
}

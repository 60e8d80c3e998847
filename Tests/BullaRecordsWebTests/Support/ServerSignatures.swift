import BullaRecordsWeb
import BullaText

/// Requests signed by a server, with the command `openssl`, for `ServiceFixture.now`.
enum ServerSignatures {
    static let date = "2026-11-23T12:00:00Z"
    static let publicKey =
        Base64.bytes(
            joined(
                "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEjp57OFz0zlpeKDv0Wcz4eK3qxtnpB8MDoc+2F39SU6pt",
                "pivAvDDEopcLjICGhy+kp5oGbVPrCQNB4koAMJ/FRw=="
            ).utf8) ?? []

    /// A request that saves the record `fromServer`.
    static let modify = (
        body: joined(
            "{\"operations\":[{\"operationType\":\"create\",\"record\":{\"recordName\":",
            "\"fromServer\",\"recordType\":\"Note\",\"fields\":{\"title\":{\"value\":\"t\"}}}}]}"),
        signature: joined(
            "MEUCIAVg1kF8nfR0MyjTC5qgURtRU73bHiM/QVVLFw+m6m5kAiEAvhKEQkpr68DIPFA0yII+185o693wPFsZ",
            "kqPOrmhBaNk=")
    )
    /// A request that looks up the record.
    static let lookUp = (
        body: "{\"records\":[{\"recordName\":\"fromServer\"}]}",
        signature: joined(
            "MEUCIG/U8QRvC64l1H5KxzG6S+V2iBgK8HuPeASGrFqdlct9AiEAvv6imvBP3YBz4DYX82ShyISH9qhdOpMv",
            "KowFdPAjcWQ=")
    )
    static let caller = joined(
        "MEUCIQDQ7xjx3im4/exqk0oPmkIk6klHe8rZdXH9QQxvek/D+wIgYPyEBTqxBSYoeZ6PfoBK+f12zuSdyme0MeqQ",
        "ftsJnFM=")

    static func headers(_ signature: String, keyID: String = "owned") -> [WebHeader] {
        [
            WebHeader(RequestSignature.keyIDHeader.lowercased(), keyID),
            WebHeader(RequestSignature.dateHeader.lowercased(), date),
            WebHeader(RequestSignature.signatureHeader.lowercased(), signature),
        ]
    }
}

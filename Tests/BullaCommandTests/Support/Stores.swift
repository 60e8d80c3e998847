import Testing

extension Scratch {
    /// Makes a key file and an encrypted store with one entry.
    func makeEncrypted(_ name: String = "e.bulla", key: String = "key") throws {
        try #require(try bulla("keygen", key).status == 0)
        try #require(try bulla("create", name, "--key-file", key).status == 0)
        let put = try bulla("put", name, "pets", "rex", "a good dog", "--key-file", key)
        try #require(put.status == 0, "\(put.errors)")
    }

    /// Makes a plain store with one entry.
    func makePlain(_ name: String = "p.bulla") throws {
        try #require(try bulla("create", name).status == 0)
        try #require(try bulla("put", name, "pets", "rex", "a good dog").status == 0)
    }
}

/// The statuses that the help promises, repeated here so that a test notices a change.
enum Status {
    static let success: Int32 = 0
    static let notFound: Int32 = 1
    static let damaged: Int32 = 2
    static let usage: Int32 = 64
    static let data: Int32 = 65
    static let noInput: Int32 = 66
    static let unavailable: Int32 = 69
    static let cannotCreate: Int32 = 73
    static let io: Int32 = 74
    static let noPermission: Int32 = 77
    static let configuration: Int32 = 78
}

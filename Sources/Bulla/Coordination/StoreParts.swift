/// What a process that opens a store knows of the store before it makes or joins a world.
struct StoreParts: Sendable {
    let path: String
    let storage: any StorageSystem
    var file: any StorageFile
    /// Whether the file is open for writing.
    ///
    /// Even a reader opens it for writing if it can, for its locks and to recover from a crash.
    var isWritable = true
    let header: HeaderPage
    let ciphers: PageCiphers
    /// The copy of the keyring that the key opened; `nil` in a plain store.
    var keyring: KeyringFinding?
    /// The damaged copy of the header, if there is one: 0 or 1.
    var damagedHeader: Int?
}

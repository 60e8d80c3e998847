internal import BullaMemory

/// Makes each ``CipherContext`` of one data key.
struct CipherRecipe: ContextRecipe, ~Copyable, Sendable {
    let suite: Suite
    /// 64 bytes, or for GCM the first 32 of them; `nil` for a plain file.
    let key: SecretBytes?
    let fileIdentifier: FileIdentifier
    let formatVersion: UInt16
    let pageByteCount: Int

    /// All threads can share a plain context: it has no key, and nothing in it changes.
    var isOneForAll: Bool { suite == .plain }

    func makeContext() throws(CipherError) -> CipherContext { try CipherContext(self) }

    func wipe() { key?.wipe() }
}

internal import BullaMemory

/// Makes each ``FrameCipherContext`` of one segment.
struct FrameRecipe: ContextRecipe, ~Copyable, Sendable {
    let suite: Suite
    /// 96 bytes; `nil` for a plain file.
    let key: SecretBytes?
    /// The seed of the checksums of a plain file.
    let seed: UInt64
    let fileIdentifier: FileIdentifier
    let formatVersion: UInt16

    /// All threads can share a plain context: it has no key, and nothing in it changes.
    var isOneForAll: Bool { suite == .plain }

    func makeContext() throws(CipherError) -> FrameCipherContext { try FrameCipherContext(self) }

    func wipe() { key?.wipe() }
}

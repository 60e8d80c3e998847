internal import BullaMemory
internal import CBullaCipher

/// A frame cipher in C, which holds a segment's keys in contexts of libcrypto.
///
/// Sendable, because ``ContextPool`` gives each context to one thread at a time. Only the context
/// of a plain store serves all threads at once, and nothing in that context changes.
@safe struct FrameCipherContext: PooledContext, @unchecked Sendable {
    let cipher: OpaquePointer

    init(_ cipher: OpaquePointer) {
        unsafe self.cipher = unsafe cipher
    }

    init(_ recipe: borrowing FrameRecipe) throws(CipherError) {
        var made: OpaquePointer?
        let status = unsafe recipe.withKeyAndIdentifier { key, identifier in
            // SAFETY: the key has 96 bytes, or is `nil`; the identifier has 16 bytes.
            unsafe bulla_frame_cipher_create(
                bulla_suite(UInt32(recipe.suite.rawValue)), key, recipe.seed, identifier,
                recipe.formatVersion, &made)
        }
        try CipherError.check(status)
        guard let made = unsafe made else { throw CipherError(.library) }
        unsafe self.cipher = unsafe made
    }

    func destroy() {
        // SAFETY: `init` made the cipher; the pool destroys each context once.
        unsafe bulla_frame_cipher_destroy(cipher)
    }

    func seal(
        _ content: ByteView, context: FrameContext, into frame: MutableByteView
    ) throws(CipherError) {
        var place = bulla_frame_place(context)
        // SAFETY: every view is valid for its count, and the caller has checked that they fit.
        try CipherError.check(
            unsafe bulla_frame_seal(
                cipher, &place, content.base, content.byteCount, frame.base))
    }

    func head(of frame: ByteView) throws(CipherError) -> FrameHead {
        try MutableByteView.withTemporary(byteCount: Self.headByteCount) {
            head throws(CipherError) in
            // SAFETY: the caller has checked that the frame has the 16 bytes of ciphertext that
            // make the mask.
            try CipherError.check(unsafe bulla_frame_unmask(cipher, frame.base, head.base))
            let kind = head.view.load(UInt32.self, at: FrameField.kind.offset)
            return FrameHead(
                byteCount: Int(head.view.load(UInt32.self, at: FrameField.byteCount.offset)),
                kind: UInt8(truncatingIfNeeded: kind), reserved: kind >> 8,
                repeated: head.view.load(UInt64.self, at: FrameField.repeated.offset))
        }
    }

    private static let headByteCount = Int(BULLA_FRAME_HEAD_BYTES)

    func open(
        _ frame: ByteView, context: FrameContext, into content: MutableByteView
    ) throws(CipherError) {
        var place = bulla_frame_place(context)
        // SAFETY: every view is valid for its count, and the caller has checked that they fit.
        try CipherError.check(
            unsafe bulla_frame_open(
                cipher, &place, frame.base, frame.byteCount, content.base))
    }
}

extension bulla_frame_place {
    fileprivate init(_ context: FrameContext) {
        self.init()
        sequence = context.sequence
        offset = context.offset
        kind = context.kind
        unsafe withUnsafeMutableBytes(of: &previous) { bytes in
            guard let base = bytes.baseAddress else { return }
            // SAFETY: the field has as many bytes as a tag.
            unsafe context.previous.store(
                in: MutableByteView(base: base, byteCount: bytes.count), at: 0)
        }
    }
}

extension FrameRecipe {
    /// Lends what a C cipher is made from: the key, if there is one, and the identifier.
    fileprivate borrowing func withKeyAndIdentifier(
        _ body: (UnsafeRawPointer?, UnsafeRawPointer) -> bulla_cipher_status
    ) -> bulla_cipher_status {
        fileIdentifier.bytes.withView { identifier in
            switch key {
            case .some(let key):
                // A child after a fork does not have the key, and a wiped key is zeros.
                guard key.isIntact else { return BULLA_CIPHER_MEMORY }
                return key.withView { unsafe body($0.base, identifier.base) }
            case .none:
                return unsafe body(nil, identifier.base)
            }
        }
    }
}

internal import BullaCipher
internal import BullaMemory

/// Seals and opens single values without a collection.
extension Vault {
    /// Encodes a value as ``SealedCollection`` does, and seals it for a place.
    ///
    /// The encoded value lies in memory that is locked, and wiped afterwards.
    ///
    /// - Throws: `entityMismatch` if the value does not encode; `outOfMemory` if no memory could be
    ///   locked; otherwise as `seal(_:for:)`.
    public func seal<Value: Encodable>(
        encoding value: Value, for identity: SealedIdentity
    ) throws(BullaError) -> [UInt8] {
        let encoded = try encode(value)
        return try encoded.withView { cleartext throws(BullaError) in
            try identity.withPlace { place throws(BullaError) in
                try sealed(cleartext, for: place)
            }
        }
    }

    /// Opens a blob that holds an encoded value.
    ///
    /// - Throws: `entityMismatch` if the value is of another type; otherwise as ``open(_:for:_:)``.
    public func open<Value: Decodable>(
        _ blob: some ByteSource, as type: Value.Type, for identity: SealedIdentity
    ) throws(BullaError) -> Value {
        // Copied, because a blob must not change while it is read, and may lie in memory that
        // another thread or process writes to.
        let cleartext = try blob.copied().withTypedView {
            blob throws(BullaError) -> OpenedBlob in
            try identity.withPlace { place throws(BullaError) in try opened(blob, for: place) }
        }
        return try cleartext.decode(type, in: self)
    }

    /// Whether a blob holds a given cleartext, so that the cleartext need not be sealed again.
    ///
    /// A blob that does not open counts as different. The vault's statistics do not count the call.
    ///
    /// - Throws: `vaultLocked`; `otherStore`.
    /// - Complexity: a copy of the blob. If the cleartext, once sealed, would be as long as the
    ///   blob, the call also opens the blob. The time of the comparison does not depend on where
    ///   the two cleartexts differ.
    public func holds(
        _ cleartext: RawSpan, in blob: some ByteSource, for identity: SealedIdentity
    ) throws(BullaError) -> Bool {
        try cleartext.withView { cleartext throws(BullaError) in
            try identity.withPlace { place throws(BullaError) in
                try holds(cleartext, in: blob.copied(), for: place)
            }
        }
    }

    /// Whether a blob holds a given value, encoded as by ``seal(encoding:for:)``.
    ///
    /// - Throws: `entityMismatch` if the value does not encode; otherwise as ``holds(_:in:for:)``.
    public func holds<Value: Encodable>(
        encoded value: Value, in blob: some ByteSource, for identity: SealedIdentity
    ) throws(BullaError) -> Bool {
        let encoded = try encode(value)
        return try encoded.withView { cleartext throws(BullaError) in
            try identity.withPlace { place throws(BullaError) in
                try holds(cleartext, in: blob.copied(), for: place)
            }
        }
    }

    /// - Parameter blob: bytes that nothing else writes to, because they must not change while they
    ///   are read.
    func holds(
        _ cleartext: ByteView, in blob: [UInt8], for place: SealedPlace
    ) throws(BullaError) -> Bool {
        // If the lengths do not match, the blob need not be opened.
        guard
            blob.count == SealedBlob.sealedByteCount(cleartextByteCount: cleartext.byteCount)
        else { return false }
        do throws(BullaError) {
            let former = try blob.withTypedView { blob throws(BullaError) in
                try opened(blob, for: place, isCounted: false)
            }
            return former.withView { ConstantTime.areEqual(cleartext, $0) }
        } catch {
            guard error.leavesBlobUnopened else { throw error }
            return false
        }
    }
}

extension ByteSource {
    fileprivate func copied() -> [UInt8] {
        withBytes { bytes in bytes.withView { $0.copied() } }
    }
}

internal import BullaCipher
internal import BullaMemory

/// Single values, sealed without a collection.
extension Vault {
    /// Seals a value for a place, in the encoding of ``SealedCollection``.
    ///
    /// The cleartext lies in memory that is locked and wiped.
    ///
    /// - Throws: `entityMismatch` where the value does not encode; `outOfMemory` where no memory
    ///   could be locked; as `seal(_:for:)`.
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
    /// - Throws: `entityMismatch` where it is of another type; as ``open(_:for:_:)``.
    public func open<Value: Decodable>(
        _ blob: some ByteSource, as type: Value.Type, for identity: SealedIdentity
    ) throws(BullaError) -> Value {
        // Copied: a blob may lie where others write, and must not change while it is read.
        let cleartext = try blob.copied().withTypedView {
            blob throws(BullaError) -> OpenedBlob in
            try identity.withPlace { place throws(BullaError) in try opened(blob, for: place) }
        }
        return try cleartext.decode(type, in: self)
    }

    /// Whether a blob holds a cleartext, which then need not be sealed anew.
    ///
    /// One that does not open holds none; nobody has looked at it, so it is not counted.
    ///
    /// - Throws: `vaultLocked`; `otherStore`.
    /// - Complexity: none where the lengths differ; else as opening it. The comparison takes the
    ///   same time wherever the two differ.
    public func holds(
        _ cleartext: RawSpan, in blob: some ByteSource, for identity: SealedIdentity
    ) throws(BullaError) -> Bool {
        try cleartext.withView { cleartext throws(BullaError) in
            try identity.withPlace { place throws(BullaError) in
                try holds(cleartext, in: blob.copied(), for: place)
            }
        }
    }

    /// Whether a blob holds a value, as ``seal(encoding:for:)`` encodes it.
    ///
    /// - Throws: `entityMismatch` where the value does not encode; as ``holds(_:in:for:)``.
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

    /// - Parameter blob: private to the caller: it must not change while it is read.
    func holds(
        _ cleartext: ByteView, in blob: [UInt8], for place: SealedPlace
    ) throws(BullaError) -> Bool {
        // One of another length need not be opened.
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

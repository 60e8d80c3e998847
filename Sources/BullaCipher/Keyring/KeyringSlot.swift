internal import BullaMemory

/// One way into a store: the master secret, sealed under the key of one user (``SlotField``).
///
/// Trust its content only after verifying its authentication under that key.
package struct KeyringSlot: Sendable {
    /// Where the slot's key comes from.
    package enum Kind: UInt8, Sendable {
        /// The opener has the 64 bytes of the key.
        case key = 1
        /// A password is stretched to the 64 bytes.
        case password = 2
        /// A key service unwraps the 64 bytes.
        case service = 3
    }

    package static let labelByteLimit = 63
    package static let wrappedByteLimit = 1024
    package static let saltByteCount = SlotField.salt.byteCount
    package static let stretchingByteCount = SlotField.stretching.byteCount

    /// The slot's bytes in the keyring.
    let bytes: [UInt8]

    /// The content of a slot, before its secret is sealed.
    package struct Form: Sendable {
        package let kind: Kind
        package let label: [UInt8]
        package let stretching: [UInt8]
        package let salt: [UInt8]
        package let wrapped: [UInt8]

        /// - Parameters:
        ///   - label: at most ``KeyringSlot/labelByteLimit`` bytes of UTF-8.
        ///   - stretching: 16 bytes for a password, otherwise empty.
        ///   - salt: the 32 random bytes with which a password was stretched; if `nil`, new ones
        ///     are drawn.
        ///   - wrapped: the key as a service wrapped it; at most ``KeyringSlot/wrappedByteLimit``
        ///     bytes.
        package init(
            _ kind: Kind, label: [UInt8] = [], stretching: [UInt8] = [], salt: [UInt8]? = nil,
            wrapped: [UInt8] = []
        ) throws(CipherError) {
            let zeros = [UInt8](repeating: 0, count: stretchingByteCount)
            self.kind = kind
            self.label = label
            self.stretching = stretching.isEmpty ? zeros : stretching
            if let salt { self.salt = salt } else { self.salt = try Self.randomSalt() }
            self.wrapped = wrapped
            guard label.count <= labelByteLimit, wrapped.count <= wrappedByteLimit,
                self.stretching.count == stretchingByteCount, self.salt.count == saltByteCount
            else { throw CipherError(.badArgument) }
        }

        /// The same content with another label.
        package func labelled(_ label: [UInt8]) throws(CipherError) -> Form {
            try Form(kind, label: label, stretching: stretching, salt: salt, wrapped: wrapped)
        }

        /// A salt for a new slot.
        package static func randomSalt() throws(CipherError) -> [UInt8] {
            try [UInt8](byteCount: saltByteCount) { view throws(CipherError) in
                try KernelRandom.fill(view)
            }
        }
    }

    /// The slot at the beginning of `view`, unverified; `nil` if its lengths are impossible.
    init?(reading view: ByteView) {
        guard view.byteCount >= SlotField.totalByteCount else { return nil }
        let byteCount = Int(view.load(UInt16.self, at: SlotField.byteCount.offset))
        let label = Int(view.load(UInt8.self, at: SlotField.labelByteCount.offset))
        let wrapped = Int(view.load(UInt16.self, at: SlotField.wrappedByteCount.offset))
        guard label <= Self.labelByteLimit, wrapped <= Self.wrappedByteLimit,
            byteCount == SlotField.totalByteCount + label + wrapped, byteCount <= view.byteCount
        else { return nil }
        bytes = view.slice(0, byteCount).copied()
    }

    /// `nil` for a kind that this version of Bulla does not know.
    package var kind: Kind? { Kind(rawValue: bytes[SlotField.kind.offset]) }
    package var number: UInt32 {
        bytes.withView { $0.load(UInt32.self, at: SlotField.number.offset) }
    }
    package var label: [UInt8] { Array(bytes[SlotField.totalByteCount...].prefix(labelCount)) }
    package var wrapped: [UInt8] { Array(bytes[(SlotField.totalByteCount + labelCount)...]) }
    package var stretching: [UInt8] { field(.stretching) }
    package var salt: [UInt8] { field(.salt) }

    private var labelCount: Int { Int(bytes[SlotField.labelByteCount.offset]) }

    func field(_ field: SlotField) -> [UInt8] {
        Array(bytes[field.offset..<field.offset + field.byteCount])
    }
}

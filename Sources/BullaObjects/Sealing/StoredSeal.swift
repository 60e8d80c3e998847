internal import Bulla
internal import BullaMemory

/// The place to which a sealed blob is bound.
///
/// It consists of numbers and the object's key, so that names can change, and objects can move to
/// another tree.
struct SealedSpot: Sendable, Hashable {
    /// The number of the object's model.
    let model: Int
    let key: [UInt8]
    /// The property's number; for a property in a sealed blob, the number plus 2^16, so that it
    /// differs from the number of any property in a row.
    let property: UInt32

    init(_ model: Int, _ key: [UInt8], _ number: Int, isContent: Bool) {
        (self.model, self.key) = (model, key)
        property = Self.property(number, isContent: isContent)
    }

    static func property(_ number: Int, isContent: Bool) -> UInt32 {
        UInt32(number) + (isContent ? 1 << 16 : 0)
    }

    /// - Parameter tree: the schema's tree, which lasts as long as the database.
    func identity(_ tree: Tree, _ sequence: UInt64) -> SealedIdentity {
        var place: [UInt8] = []
        for shift in stride(from: 24, through: 0, by: -8) {
            place.append(UInt8(truncatingIfNeeded: model >> shift))
        }
        return SealedIdentity(
            tree: tree, key: place + key, property: property, sequence: sequence)
    }
}

/// The bytes that a row holds for a sealed value.
///
///     bytes  field
///         8  sequence, little-endian: microseconds since 1970-01-01 UTC, always increasing
///         n  blob
///
/// The blob is bound to the sequence.
struct SealedBytes: Sendable, Equatable {
    let sequence: UInt64
    let blob: [UInt8]

    init(_ sequence: UInt64, _ blob: [UInt8]) { (self.sequence, self.blob) = (sequence, blob) }

    /// Returns `nil` if there are too few bytes.
    init?(_ bytes: ByteView) {
        guard bytes.byteCount >= Self.headByteCount else { return nil }
        sequence = bytes.load(UInt64.self, at: 0)
        blob = bytes.slice(Self.headByteCount, bytes.byteCount - Self.headByteCount).copied()
    }

    private static let headByteCount = 8

    var bytes: [UInt8] {
        (0..<Self.headByteCount).map { UInt8(truncatingIfNeeded: sequence >> (8 * $0)) } + blob
    }
}

/// The name of a sealed property, for messages.
struct SealedName: Sendable {
    let layout: ObjectLayout
    let number: Int

    var vault: String { layout.vault(of: number) ?? "" }
    var historyLimit: Int { layout.historyLimit(of: number) }

    /// The name as in `Employee 7.pin`.
    func text(_ spot: SealedSpot, in bindings: _ObjectBindings) -> String {
        let owner = spot.key.withView { bindings.tables[spot.model]?.text(ofKey: $0) ?? "?" }
        return "\(owner).\(layout.name(of: number))"
    }
}

/// A sealed value that was read, with everything that is needed to open it.
final class StoredSeal: Sendable {
    private let spot: SealedSpot
    private let stored: SealedBytes
    private let name: SealedName
    private let bindings: _ObjectBindings

    init(
        _ spot: SealedSpot, _ stored: SealedBytes, _ name: SealedName, _ bindings: _ObjectBindings
    ) {
        (self.spot, self.stored, self.name, self.bindings) = (spot, stored, name, bindings)
    }

    /// - Throws: `damaged`; `invalidModel` if no model has the property.
    convenience init(_ value: ByteView, _ property: borrowing PropertyBytes) throws(ObjectError) {
        guard let stored = SealedBytes(value) else { throw property.damaged() }
        guard let owner = property.owner else {
            throw ObjectError(.invalidModel, "read a sealed value: no model has the property")
        }
        let spot = SealedSpot(
            owner.table.number, owner.key.copied(), property.number,
            isContent: owner.isContent)
        self.init(
            spot, stored, SealedName(layout: property.layout, number: property.number),
            property.bindings)
    }

    var sequence: UInt64 { stored.sequence }

    /// The stored bytes, if they can be kept at `spot`; `nil` if the value has to be sealed anew.
    ///
    /// They can be kept if they were read from `spot` in the same database, and nothing newer was
    /// stored there. If the property keeps former values, and the program puts back a value that it
    /// removed before, the value must be sealed anew, so that it is the newest one.
    func bytes(
        at spot: SealedSpot, over former: SealedBytes?, in bindings: _ObjectBindings
    ) -> SealedBytes? {
        guard self.spot == spot, bindings.vaults === self.bindings.vaults else { return nil }
        guard let former else { return name.historyLimit > 0 ? nil : stored }
        return former == stored ? stored : nil
    }

    func open<Value: Sealable>(_ type: Value.Type) throws(ObjectError) -> Value {
        try bindings.vaults.using(name.vault, "open \(name.text(spot, in: bindings))") {
            vault, tree throws(BullaError) in
            try Value._opened(
                stored.blob, in: vault, for: spot.identity(tree, stored.sequence))
        }
    }
}

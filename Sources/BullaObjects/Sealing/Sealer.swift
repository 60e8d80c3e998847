internal import Bulla
internal import BullaMemory
internal import FoundationEssentials

/// A separately sealed value, whatever its type.
protocol SealedProperty: Sendable {
    /// The bytes for the row; `nil` if there is no value.
    func bytes(
        at spot: SealedSpot, over former: SealedBytes?, by sealer: Sealer, _ property: SealedName
    ) throws(ObjectError) -> SealedBytes?
}

/// A separately sealed property of an object that is being stored.
struct SealedPart {
    let number: Int
    let value: any SealedProperty
}

/// A new row, and those sealed values of the former row that are to be kept.
package struct SealedRow {
    package let bytes: [UInt8]
    let replaced: [ReplacedValue]
}

/// A former value to keep.
struct ReplacedValue {
    let spot: SealedSpot
    let stored: SealedBytes
    /// How many former values of the property are kept.
    let limit: Int
}

/// Seals the properties of an object.
struct Sealer {
    let bindings: _ObjectBindings
    let table: ObjectTable
    let key: [UInt8]

    /// Seals a property into a row.
    ///
    /// - Parameters:
    ///   - layout: the layout of the row.
    ///   - former: the stored row that `row` replaces; `nil` if there is none.
    ///   - replaced: gets the former value, if it differs and the property keeps former values.
    func seal(
        _ part: SealedPart, _ layout: ObjectLayout, isContent: Bool = false,
        into row: inout RowDraft, over former: Row?, _ replaced: inout [ReplacedValue]
    ) throws(ObjectError) {
        let (number, former) = (part.number, former?.sealed(part.number))
        let spot = SealedSpot(table.number, key, number, isContent: isContent)
        let bytes = try part.value.bytes(
            at: spot, over: former, by: self, SealedName(layout: layout, number: number))
        if let bytes { bytes.bytes.withView { row.set(number, $0) } }
        let limit = layout.historyLimit(of: number)
        guard limit > 0, let former, former != bytes, former.sequence < .max else { return }
        replaced.append(ReplacedValue(spot: spot, stored: former, limit: limit))
    }

    /// Seals a value; returns the former bytes if they already hold it.
    func seal(
        _ value: some Sealable, at spot: SealedSpot, over former: SealedBytes?, _ name: SealedName
    ) throws(ObjectError) -> SealedBytes {
        try bindings.vaults.using(name.vault, "seal \(name.text(spot, in: bindings))") {
            vault, tree throws(BullaError) in
            if let former {
                let identity = spot.identity(tree, former.sequence)
                if try value._isHeld(by: former.blob, in: vault, for: identity) { return former }
            }
            let sequence = sequence(after: former)
            let blob = try value._sealed(in: vault, for: spot.identity(tree, sequence))
            return SealedBytes(sequence, blob)
        }
    }

    /// The current time, but always later than the former value's sequence, whatever the clock
    /// says.
    private func sequence(after former: SealedBytes?) -> UInt64 {
        let now = UInt64(sealedAt: Date())
        // No sequence is later than the maximum. A former value with that sequence was forged, and
        // does not open, so the new value need not come after it.
        guard let last = former?.sequence, last >= now, last < .max else { return now }
        return last + 1
    }
}

extension Row {
    /// The bytes that the row holds for a sealed value.
    func sealed(_ number: Int) -> SealedBytes? {
        guard case .value(let value) = self[number] else { return nil }
        return SealedBytes(value)
    }
}

extension UInt64 {
    /// A date as a sequence: microseconds since 1970.
    init(sealedAt date: Date) {
        let time = date.timeIntervalSince1970 * 1e6
        self = time > 0 ? UInt64(Swift.min(time, 9e18)) : 0
    }
}

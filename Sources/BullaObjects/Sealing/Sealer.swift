internal import Bulla
internal import BullaMemory
internal import FoundationEssentials

/// A property that is sealed by itself, whatever its type.
protocol SealedProperty: Sendable {
    /// What is to stand in the row; `nil` for nothing.
    func bytes(
        at spot: SealedSpot, over former: SealedBytes?, by sealer: Sealer, _ property: SealedName
    ) throws(ObjectError) -> SealedBytes?
}

/// A sealed property of an object that is to be stored.
struct SealedPart {
    let number: Int
    let value: any SealedProperty
}

/// A row, and what it takes the place of.
package struct SealedRow {
    package let bytes: [UInt8]
    let replaced: [ReplacedValue]
}

/// A former value that is to be kept.
struct ReplacedValue {
    let spot: SealedSpot
    let stored: SealedBytes
    /// How many are kept of the property.
    let limit: Int
}

/// Seals what an object has that is to be sealed.
struct Sealer {
    let bindings: ObjectBindings
    let table: ObjectTable
    let key: [UInt8]

    /// Seals a property into a row.
    ///
    /// - Parameters:
    ///   - layout: of the row.
    ///   - former: the row until now.
    ///   - replaced: gets the former value, where it is to be kept.
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

    /// Seals a value; the former bytes, where they hold the same.
    func seal(
        _ value: some Sealable, at spot: SealedSpot, over former: SealedBytes?, _ name: SealedName
    ) throws(ObjectError) -> SealedBytes {
        try bindings.vaults.using(name.vault, "seal \(name.text(spot, in: bindings))") {
            vault, tree throws(BullaError) in
            if let former {
                let identity = spot.identity(tree, former.sequence)
                if try value.isHeld(by: former.blob, in: vault, for: identity) { return former }
            }
            let sequence = sequence(after: former)
            let blob = try value.sealed(in: vault, for: spot.identity(tree, sequence))
            return SealedBytes(sequence, blob)
        }
    }

    /// The present moment; later than the former value, whatever a clock says.
    private func sequence(after former: SealedBytes?) -> UInt64 {
        let now = UInt64(sealedAt: Date())
        // After the last there is nothing: who wrote that there wrote no blob that opens.
        guard let last = former?.sequence, last >= now, last < .max else { return now }
        return last + 1
    }
}

extension Row {
    /// What stands in it for a sealed value.
    func sealed(_ number: Int) -> SealedBytes? {
        guard case .value(let value) = self[number] else { return nil }
        return SealedBytes(value)
    }
}

extension UInt64 {
    /// A moment as sequences count it: microseconds since 1970.
    init(sealedAt date: Date) {
        let time = date.timeIntervalSince1970 * 1e6
        self = time > 0 ? UInt64(Swift.min(time, 9e18)) : 0
    }
}

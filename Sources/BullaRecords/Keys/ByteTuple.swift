/// Fields as bytes: the context for seals, signatures and derived keys.
///
/// Each field follows its byte count, so that different lists of fields give different bytes.
struct ByteTuple {
    private(set) var bytes: [UInt8] = []

    /// - Parameter label: the purpose; each purpose has its own label.
    init(_ label: String) {
        bytes.reserveCapacity(256)
        bytes.append(text: label)
    }

    /// A tuple that has a place right after its label.
    init(_ label: String, _ place: Place) {
        self.init(label)
        append(place.container)
        append(place.environment.rawValue)
    }

    mutating func append(_ text: String) { bytes.append(text: text) }
    mutating func append(_ field: [UInt8]) { bytes.append(counted: field) }
    mutating func append(_ identifier: RandomIdentifier) { append(identifier.bytes) }

    /// Appends an account, or its absence.
    mutating func append(_ account: AccountIdentifier?) {
        append(account?.identifier.bytes ?? [])
    }

    mutating func append<N: FixedWidthInteger>(_ number: N) {
        bytes.append(number: UInt32(N.bitWidth / 8))
        bytes.append(number: number)
    }
}

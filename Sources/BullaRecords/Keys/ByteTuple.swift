/// Fields as bytes, each behind its count, so that no two lists of fields give the same bytes: what
/// is authenticated beside a ciphertext.
struct ByteTuple {
    private(set) var bytes: [UInt8] = []

    /// - Parameter label: what is sealed; no two purposes have one label.
    init(_ label: String) {
        bytes.reserveCapacity(256)
        bytes.append(text: label)
    }

    /// Fields that begin with a container in one of its environments.
    init(_ label: String, _ place: Place) {
        self.init(label)
        append(place.container)
        append(place.environment.rawValue)
    }

    mutating func append(_ text: String) { bytes.append(text: text) }
    mutating func append(_ field: [UInt8]) { bytes.append(counted: field) }
    mutating func append(_ identifier: RandomIdentifier) { append(identifier.bytes) }

    /// An account, or that there is none.
    mutating func append(_ account: AccountIdentifier?) {
        append(account?.identifier.bytes ?? [])
    }

    mutating func append<N: FixedWidthInteger>(_ number: N) {
        bytes.append(number: UInt32(N.bitWidth / 8))
        bytes.append(number: number)
    }
}

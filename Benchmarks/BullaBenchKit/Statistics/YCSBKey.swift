/// The key of a generated record: `user` and the 19 digits of its hashed number.
///
/// Hashed, so that records inserted by ascending number arrive in random order, as YCSB's do
/// (`insertorder=hashed`, `zeropadding=19`).
package enum YCSBKey {
    package static let byteCount = 23

    /// Appends the key of record `number`.
    package static func append(_ number: UInt64, to bytes: inout [UInt8]) {
        bytes.append(contentsOf: "user".utf8)
        let start = bytes.count
        bytes.append(contentsOf: repeatElement(UInt8(ascii: "0"), count: 19))
        var rest = YCSBHash.hash(number)
        for place in (start..<start + 19).reversed() {
            bytes[place] += UInt8(rest % 10)
            rest /= 10
        }
    }
}

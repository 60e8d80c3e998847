/// The generated records: YCSB's keys, and values of random printable bytes.
///
/// One field stands for YCSB's ten, so that a value has exactly the length that was asked for.
package enum YCSBRecords {
    package static func table(count: Int, valueByteCount: Int, seed: UInt64) -> RecordTable {
        var table = RecordTable(
            reserving: count, keyByteCount: YCSBKey.byteCount, valueByteCount: valueByteCount)
        var random = Random(seed, 0x5EED)
        for number in 0..<UInt64(count) {
            table.append(
                key: { YCSBKey.append(number, to: &$0) },
                value: { YCSBValue.append(valueByteCount, &random, to: &$0) })
        }
        return table
    }
}

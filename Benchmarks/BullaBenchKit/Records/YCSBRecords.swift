/// The generated records: YCSB's keys, and values of as many fields as were asked for, one behind
/// the other.
package enum YCSBRecords {
    package static func table(_ options: RecordOptions, seed: UInt64) -> RecordTable {
        var table = RecordTable(
            reserving: options.count, keyByteCount: YCSBKey.byteCount,
            valueByteCount: options.valueByteCount)
        var random = Random(seed, 0x5EED)
        for number in 0..<UInt64(options.count) {
            table.append(
                key: { YCSBKey.append(number, to: &$0) },
                value: { options.values.append(options.valueByteCount, &random, to: &$0) })
        }
        return table
    }
}

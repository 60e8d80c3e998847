/// The generated records of a run.
package struct RecordOptions: Sendable {
    /// 0 for none.
    package var count = 1_000_000
    /// YCSB's `fieldcount` and `fieldlength`: a value is so many fields of so many bytes.
    package var fieldCount = 10
    package var fieldByteCount = 100
    package var values = ValueKind.random

    package init() {}

    package var valueByteCount: Int { fieldCount * fieldByteCount }
}

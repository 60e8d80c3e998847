import BullaBenchKit

extension RecordOptions {
    /// This many records of one field.
    static func small(_ count: Int, _ valueByteCount: Int) -> RecordOptions {
        var options = RecordOptions()
        (options.count, options.fieldCount, options.fieldByteCount) = (count, 1, valueByteCount)
        return options
    }
}

import Bulla
import BullaTestSupport

/// A range of keys in the model's terms, from which the store's form, ``keyRange``, is made.
struct ModelRange: Sendable {
    var lower: [UInt8]?
    var upper: [UInt8]?
    var includesUpper = false
    /// The prefix from which the bounds were made, if any.
    var prefix: [UInt8]?

    static let all = ModelRange()

    init(lower: [UInt8]? = nil, upper: [UInt8]? = nil, includesUpper: Bool = false) {
        self.lower = lower
        self.upper = upper
        self.includesUpper = includesUpper
    }

    /// Every key that begins with `prefix`: from the prefix up to the first byte string that sorts
    /// after all these keys.
    init(prefix: [UInt8]) {
        self.prefix = prefix
        lower = prefix
        var end = prefix
        while let last = end.last {
            if last < 0xFF {
                end[end.count - 1] = last + 1
                upper = end
                return
            }
            end.removeLast()
        }
    }

    var keyRange: KeyRange {
        if let prefix { return .prefix(prefix) }
        switch (lower, upper) {
        case (nil, nil): return .all
        case (let lower?, nil): return .from(lower)
        case (nil, let upper?): return includesUpper ? .through(upper) : .upTo(upper)
        case (let lower?, let upper?):
            return includesUpper ? .from(lower, through: upper) : .from(lower, upTo: upper)
        }
    }
}

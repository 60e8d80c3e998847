import BullaTestSupport
import Glibc

/// Compares bytes: negative if `left` comes first, zero if they are equal, positive if `right`
/// comes first.
func order(_ left: [UInt8], _ right: [UInt8]) -> Int {
    // SAFETY: both arrays are alive during the call, and have at least this many bytes.
    let order = unsafe memcmp(left, right, min(left.count, right.count))
    return order != 0 ? Int(order) : left.count - right.count
}

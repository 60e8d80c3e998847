import BullaTestSupport
import Glibc

/// Negative, zero or positive, in the order of the bytes.
func order(_ left: [UInt8], _ right: [UInt8]) -> Int {
    // SAFETY: both arrays are alive during the call, and have this many bytes.
    let order = unsafe memcmp(left, right, min(left.count, right.count))
    return order != 0 ? Int(order) : left.count - right.count
}

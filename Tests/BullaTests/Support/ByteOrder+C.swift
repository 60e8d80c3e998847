import BullaTestSupport
import Glibc

/// Below zero, zero or above zero, as bytes sort.
func order(_ left: [UInt8], _ right: [UInt8]) -> Int {
    // SAFETY: both arrays are alive through the call, and have as many bytes.
    let order = unsafe memcmp(left, right, min(left.count, right.count))
    return order != 0 ? Int(order) : left.count - right.count
}

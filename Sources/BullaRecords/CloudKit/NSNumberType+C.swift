internal import Foundation

extension NSNumber {
    /// The letter of the type that the number was made of.
    var typeLetter: UInt8 {
        // SAFETY: a text that ends with a zero, and so has a byte, of the number's own.
        unsafe UInt8(bitPattern: objCType.pointee)
    }
}

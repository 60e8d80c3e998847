internal import Foundation

extension NSNumber {
    /// The letter of the type from which the number was made.
    var typeLetter: UInt8 {
        // SAFETY: the number owns the text, which ends with a zero and so has at least one byte.
        unsafe UInt8(bitPattern: objCType.pointee)
    }
}

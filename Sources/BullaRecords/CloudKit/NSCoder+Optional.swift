internal import Foundation

extension NSCoder {
    /// The object under a key; `nil` if there is none.
    ///
    /// Without the check, decoding a missing object could end the process.
    func object<T: NSObject & NSSecureCoding>(_ type: T.Type, forKey key: String) -> T? {
        containsValue(forKey: key) ? decodeObject(of: type, forKey: key) : nil
    }
}

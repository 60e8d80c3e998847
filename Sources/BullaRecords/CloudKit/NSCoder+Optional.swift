internal import Foundation

extension NSCoder {
    /// The object under a key; `nil` where there is none, which the coder itself may take for an
    /// error that ends the process.
    func object<T: NSObject & NSSecureCoding>(_ type: T.Type, forKey key: String) -> T? {
        containsValue(forKey: key) ? decodeObject(of: type, forKey: key) : nil
    }
}

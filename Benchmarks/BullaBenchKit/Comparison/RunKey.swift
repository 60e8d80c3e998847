internal import Bulla

/// The key of a run: it seals throwaway data, and lives as long as the run.
package enum RunKey {
    /// 64 random bytes in hexadecimal digits.
    package static func random() throws -> String {
        try StoreKey.random().withBytes { Hex.string([UInt8]($0)) }
    }

    /// The bytes of the key of the store in `folder`; nil for a plain one, which has none.
    static func bytes(_ key: String?, of folder: String) throws -> [UInt8]? {
        guard let key else { return nil }
        guard let bytes = Hex.bytes(from: key) else {
            throw BenchError(.worker, "open \(folder): the key is not in hexadecimal digits")
        }
        return bytes
    }
}

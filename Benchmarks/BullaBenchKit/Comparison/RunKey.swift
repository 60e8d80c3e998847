internal import Bulla

/// The key of a run: it seals throwaway data, and lives as long as the run.
package enum RunKey {
    /// 64 random bytes in hexadecimal digits.
    package static func random() throws -> String {
        try StoreKey.random().withBytes { Hex.string([UInt8]($0)) }
    }
}

/// Why no copy of a keyring opened.
package enum KeyringError: Error, Equatable {
    /// A copy is whole, but none of its slots fits both halves of the key.
    case wrongKey
    /// A copy is whole, but has no slot on which the key could be tried.
    case noSlot
    /// No copy is whole, or the key fits a copy that was changed.
    case damaged
    /// A whole copy has a layout that this version does not read.
    case unsupportedVersion(UInt16)
    /// A password could not be stretched as its slot says.
    case stretching(CipherError)
    /// The cipher itself failed, which says nothing about the file.
    case cipher(CipherError)
}

/// Why no copy of a keyring opened.
package enum KeyringError: Error, Equatable {
    /// The copies are whole, and one half or both halves of the key are not theirs.
    case wrongKey
    /// The copies are whole, and have no slot that the key could be tried on.
    case noSlot
    /// No copy is whole, or the key is theirs and what it protects was changed.
    case damaged
    /// A whole copy is of a layout that this version does not read.
    case unsupportedVersion(UInt16)
    /// A password could not be stretched as its slot says.
    case stretching(CipherError)
    /// The cipher itself failed; says nothing of the file.
    case cipher(CipherError)
}

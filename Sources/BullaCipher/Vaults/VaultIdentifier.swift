/// Identifies one vault among all others: 16 random bytes, made once with the vault.
///
/// It is the salt of the vault's key derivations, as a file's identifier is the salt of the file's.
package typealias VaultIdentifier = FileIdentifier

/// Identifies one vault among all others: 16 random bytes, made once with the vault.
///
/// It salts the derivation of the vault's keys, as a file's identifier does for the file's keys.
package typealias VaultIdentifier = FileIdentifier

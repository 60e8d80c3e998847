/// Something that is not as it was written, or does not fit together.
public struct StoreDamage: Sendable, Codable {
    /// The kinds of damage that a check tells apart.
    public enum Kind: String, Sendable, Codable, CaseIterable {
        /// One copy of the header is not what was written; the other one serves.
        case header
        /// One copy of the keyring is not what was written; the other one serves.
        case keyring
        /// One copy of the table of key epochs is not what was written; the other one serves.
        case keyEpochs
        /// A meta slot is not what was written: a commit cannot be reached by it.
        case meta
        /// A page's bytes do not fit its seal or checksum.
        case page
        /// A page is whole, but not the version that its parent names: an older one was put back.
        case version
        /// A page could not be read, or the file does not have it.
        case missing
        /// What a page holds is no page of its kind, its keys are not in order, or one of them, or
        /// a tree's name, is one that no store takes.
        case structure
        /// A tree does not have as many entries as it claims.
        case count
        /// A page is free and in use, in use twice, or belongs to nothing.
        case space
    }

    /// What kind of damage it is.
    public let kind: Kind
    /// The page that is to blame; 0 for the first 64 KiB of the file.
    public let page: UInt64
    /// The commit that wrote it, as far as its parent tells.
    public let commit: UInt64
    /// The tree that it belongs to, as ``TreeName/description`` has it; `nil` for the catalog and
    /// for pages that belong to nothing.
    public let tree: String?
    /// The first key that is lost with the page, in hexadecimal digits; `nil`: from the first on.
    public let lostFrom: String?
    /// The first key after it that is not lost; `nil`: up to the last.
    public let lostUpTo: String?
    /// What was found instead of what.
    public let message: String
}

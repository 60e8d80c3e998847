/// A part of a store that is not as it was written, or that contradicts another part.
public struct StoreDefect: Sendable, Codable {
    /// The kinds of defect that a check tells apart.
    ///
    /// A later version may have more kinds, so a `switch` over a kind needs a `default`.
    public struct Kind: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible {
        /// The kind's name, as `bulla check` prints it.
        public let rawValue: String

        /// Makes the kind with that name, whether or not this version knows it.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The kind's name.
        public var description: String { rawValue }

        /// One copy of the header is not what was written; the other one is used.
        public static let header = Kind(rawValue: "header")
        /// One copy of the keyring is not what was written; the other one is used.
        public static let keyring = Kind(rawValue: "keyring")
        /// One copy of the table of key epochs is not what was written; the other one is used.
        public static let keyEpochs = Kind(rawValue: "keyEpochs")
        /// A meta slot is not what was written, so its commit cannot be reached.
        public static let meta = Kind(rawValue: "meta")
        /// The log ends too early, or one of its two marks is not what was written.
        public static let log = Kind(rawValue: "log")
        /// A page's bytes do not match its seal or checksum.
        public static let page = Kind(rawValue: "page")
        /// A page's tag is not the one that its parent names: another version of the page stands
        /// in its place, or the tag itself is damaged.
        public static let version = Kind(rawValue: "version")
        /// A page could not be read, or lies beyond the end of the file.
        public static let missing = Kind(rawValue: "missing")
        /// A page's content does not fit its kind, its keys are out of order, or no store accepts
        /// one of its keys or the name of its tree.
        public static let structure = Kind(rawValue: "structure")
        /// A tree does not have as many entries, or as many large values, as it claims.
        public static let count = Kind(rawValue: "count")
        /// A page is both free and in use, is in use twice, or belongs to nothing.
        public static let space = Kind(rawValue: "space")

        /// Every kind that this version finds.
        package static let all: [Kind] = [
            .header, .keyring, .keyEpochs, .meta, .log, .page, .version, .missing, .structure,
            .count, .space,
        ]
    }

    /// What kind of defect it is.
    public let kind: Kind
    /// The page at fault; 0 for the first 64 KiB of the file, and if no single page is at fault.
    public let page: UInt64
    /// The commit that wrote the page, according to its parent.
    ///
    /// If no parent names the page, this is the commit that the defect was found in, or 0.
    public let commit: UInt64
    /// The name of the tree that the page belongs to, in the form of ``TreeName/description``.
    ///
    /// `nil` for the catalog and for pages that belong to nothing.
    public let treeName: String?
    /// The first key that is lost with the page, in hexadecimal digits; `nil` means that the loss
    /// begins at the tree's first key.
    public let lostFrom: String?
    /// The first key after the lost ones; `nil` means that all later keys are lost.
    public let lostUpTo: String?
    /// What was found, and what was expected.
    public let message: String
}

/// Something that is not as it was written, or does not fit together.
public struct StoreDefect: Sendable, Codable {
    /// The kinds of defect that a check tells apart.
    ///
    /// A later version may have more of them, so a `switch` over it needs a `default`.
    public struct Kind: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible {
        /// The kind's name, as `bulla check` prints it.
        public let rawValue: String

        /// The kind of a name, whether this version knows it or not.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The kind's name.
        public var description: String { rawValue }

        /// One copy of the header is not what was written; the other one serves.
        public static let header = Kind(rawValue: "header")
        /// One copy of the keyring is not what was written; the other one serves.
        public static let keyring = Kind(rawValue: "keyring")
        /// One copy of the table of key epochs is not what was written; the other one serves.
        public static let keyEpochs = Kind(rawValue: "keyEpochs")
        /// A meta slot is not what was written: a commit cannot be reached by it.
        public static let meta = Kind(rawValue: "meta")
        /// The log ends before it must, or one of its two marks is not what was written.
        public static let log = Kind(rawValue: "log")
        /// A page's bytes do not fit its seal or checksum.
        public static let page = Kind(rawValue: "page")
        /// A page's tag is not the one that its parent names: another version of the page was put
        /// back, or the tag itself is damaged.
        public static let version = Kind(rawValue: "version")
        /// A page could not be read, or the file does not have it.
        public static let missing = Kind(rawValue: "missing")
        /// What a page holds is no page of its kind, its keys are not in order, or one of them, or
        /// a tree's name, is one that no store takes.
        public static let structure = Kind(rawValue: "structure")
        /// A tree does not have as many entries as it claims.
        public static let count = Kind(rawValue: "count")
        /// A page is free and in use, in use twice, or belongs to nothing.
        public static let space = Kind(rawValue: "space")

        /// Every kind that this version finds.
        package static let all: [Kind] = [
            .header, .keyring, .keyEpochs, .meta, .log, .page, .version, .missing, .structure,
            .count, .space,
        ]
    }

    /// What kind of defect it is.
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

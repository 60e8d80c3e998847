/// What a contender turned out to be.
package struct ContenderFacts: Codable, Sendable, Equatable {
    /// As rows name it: `plain`, `encrypted`, `lmdb`.
    package var name: String
    /// The engine and its version.
    package var engine: String
    /// What was set, so that others can judge whether it is fair.
    package var configuration: String
    package var isEncrypted: Bool

    package init(name: String, engine: String, configuration: String, isEncrypted: Bool) {
        self.name = name
        self.engine = engine
        self.configuration = configuration
        self.isEncrypted = isEncrypted
    }
}

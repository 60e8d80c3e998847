/// What one check of the instrument found.
package struct SelfTestFinding: Codable, Sendable, Equatable {
    /// What was checked, as a sentence that is true where the check passed.
    package let name: String
    package let isPassed: Bool
    /// The figures that it passed or failed by.
    package let text: String

    package init(name: String, isPassed: Bool, text: String) {
        self.name = name
        self.isPassed = isPassed
        self.text = text
    }
}

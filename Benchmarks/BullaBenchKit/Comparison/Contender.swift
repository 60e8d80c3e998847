/// One of the stores that are measured side by side.
package struct Contender: Sendable {
    /// As rows name it.
    package var name: String
    /// The program whose workers open it.
    package var program: String
    package var isEncrypted: Bool
    /// How a store that checks the instrument behaves; nil for a real one.
    package var model: ModelBehaviour?

    package init(
        name: String, program: String, isEncrypted: Bool, model: ModelBehaviour? = nil
    ) {
        self.model = model
        self.name = name
        self.program = program
        self.isEncrypted = isEncrypted
    }
}

/// A type as a program declared it, and the number that each of its properties got.
///
/// A store keeps the forms of a type in the order in which they were added. If a program's form is
/// one of them, but not the last one, the program is older than the store.
package struct SchemaForm: Sendable, Hashable, Codable {
    /// The declaration, as text for comparison.
    package let text: String
    /// The numbers of the properties, by ordinal.
    package let numbers: [Int]

    /// How many forms of a type a store keeps; beyond that, it drops the oldest ones.
    package static let limit = 64
}

extension [SchemaForm] {
    /// Whether a newer declaration has replaced the one with this text.
    package func haveReplaced(_ text: String) -> Bool {
        last?.text != text && contains { $0.text == text }
    }

    /// Records the newest form.
    package mutating func note(_ form: SchemaForm) {
        guard last != form else { return }
        removeAll { $0.text == form.text }
        append(form)
        removeFirst(Swift.max(count - SchemaForm.limit, 0))
    }
}

extension ModelDefinition {
    /// The declaration as text: everything that the store's schema takes from it.
    package var formText: String {
        let indexes = indexes.map { index in
            "\(index.isUnique ? "unique" : "index") \(index.properties)"
        }
        return (["model \(name)", "key \(key)"] + properties.map(\.formText) + indexes).joined(
            separator: "\n")
    }
}

extension EmbeddedDefinition {
    package var formText: String {
        (["embedded \(name)"] + properties.map(\.formText)).joined(separator: "\n")
    }
}

extension PropertyDefinition {
    fileprivate var formText: String {
        let rule = deleteRule.map { ", \($0.rawValue)" } ?? ""
        let vault = vault.map { " in \($0)" } ?? ""
        let history = history > 0 ? ", keeping \(history)" : ""
        return "\(name): \(type.multiplicity.rawValue) \(type.kind.formText)\(rule)\(vault)"
            + history
    }
}

extension PropertyType.Kind: Hashable {
    fileprivate var formText: String {
        switch form {
        case .scalar(let type): "scalar \(type.rawValue)"
        case .link(let name): "link \(name)"
        case .embedded(let definition): "embedded \(definition().name)"
        case .coded: "coded"
        case .sealed: "sealed"
        case .secret: "sealed bytes"
        case .content(let definition): "sealed (\(definition().formText))"
        }
    }

    /// Whether a store keeps values of the two kinds in the same form.
    public static func == (one: Self, other: Self) -> Bool { one.formText == other.formText }

    /// Hashes the text that `==` compares.
    public func hash(into hasher: inout Hasher) { hasher.combine(formText) }
}

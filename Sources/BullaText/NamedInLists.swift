/// Values that people name in lists, separated by commas.
package protocol NamedInLists: RawRepresentable<String>, Equatable, Sendable {
    /// The values that a list can name, in the order in which ``list(_:)`` returns them.
    static var listed: [Self] { get }
    /// The values that the word `all` stands for; empty if the word has no meaning.
    static var all: [Self] { get }
}

extension NamedInLists {
    /// The values that `text` names, without duplicates; nil if it names none, or an unknown one.
    package static func list(_ text: String) -> [Self]? {
        if text == "all", !all.isEmpty { return all }
        let names = text.split(separator: ",").map(String.init)
        let list = listed.filter { names.contains($0.rawValue) }
        return names.isEmpty || list.count != Set(names).count ? nil : list
    }
}

/// What people name in lists, with commas between the names.
package protocol NamedInLists: RawRepresentable<String>, Equatable, Sendable {
    /// What may be named, in the order that a list gets.
    static var listed: [Self] { get }
    /// What the word `all` stands for; empty where it stands for nothing.
    static var all: [Self] { get }
}

extension NamedInLists {
    /// What `text` names, each once; nil where it names another.
    package static func list(_ text: String) -> [Self]? {
        if text == "all", !all.isEmpty { return all }
        let names = text.split(separator: ",").map(String.init)
        let list = listed.filter { names.contains($0.rawValue) }
        return names.isEmpty || list.count != Set(names).count ? nil : list
    }
}

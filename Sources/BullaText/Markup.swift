/// A piece of an HTML page.
///
/// It consists of text, which is escaped, and of elements. The names of elements are literals in
/// the source code, so the contents of a file cannot become markup. A piece is also well-formed
/// XML.
package struct Markup: Sendable {
    private static let emptyElements: Set<String> = [
        "meta", "line", "rect", "circle", "path", "polyline",
    ]

    package private(set) var source: String

    /// An empty piece.
    package init() {
        source = ""
    }

    /// A plain text, which is escaped.
    package init(_ text: String) {
        source = Self.escaped(text)
    }

    package init(
        _ name: StaticString, _ attributes: KeyValuePairs<StaticString, String> = [:],
        _ content: [Markup]
    ) {
        self.init(name, pairs: attributes.map { $0 }, content)
    }

    /// An element with a list of attributes.
    package init(_ name: StaticString, pairs: [(StaticString, String)], _ content: [Markup]) {
        let attributes = pairs.map { " \($0.0)=\"\(Self.escaped($0.1))\"" }.joined()
        let start = "<\(name)\(attributes)"
        guard !content.isEmpty || !Self.emptyElements.contains("\(name)") else {
            source = start + "/>"
            return
        }
        source = start + ">" + content.map(\.source).joined() + "</\(name)>"
    }

    /// An element that contains a text.
    package init(
        _ name: StaticString, _ attributes: KeyValuePairs<StaticString, String> = [:],
        _ text: String = ""
    ) {
        self.init(name, attributes, text.isEmpty ? [] : [Markup(text)])
    }

    /// A style sheet, which is not escaped, because browsers do not decode character references in
    /// it.
    ///
    /// - Parameter sheet: a sheet from this package, never the contents of a user's file.
    package static func style(_ sheet: [UInt8]) -> Markup {
        trusted("<style>" + String(decoding: sheet, as: UTF8.self) + "</style>")
    }

    /// Markup from this package, never the contents of a user's file.
    package static func trusted(_ source: String) -> Markup {
        var markup = Markup()
        markup.source = source
        return markup
    }

    /// The escaped text; a character that pages cannot contain becomes the replacement character.
    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            case "\t", "\n": escaped.unicodeScalars.append(scalar)
            case "\u{0}"..<" ", "\u{7F}"..."\u{9F}", "\u{FFFE}", "\u{FFFF}": escaped += "\u{FFFD}"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}

/// A piece of an HTML page.
///
/// It is made of text, which is escaped, and of elements, whose names stand in the source code:
/// what came from a file cannot become markup. It is well-formed XML as well.
package struct Markup: Sendable {
    private static let emptyElements: Set<String> = [
        "meta", "line", "rect", "circle", "path", "polyline",
    ]

    package private(set) var source: String

    /// Nothing.
    package init() {
        source = ""
    }

    /// Text as it is read.
    package init(_ text: String) {
        source = Self.escaped(text)
    }

    package init(
        _ name: StaticString, _ attributes: KeyValuePairs<StaticString, String> = [:],
        _ content: [Markup]
    ) {
        self.init(name, pairs: attributes.map { $0 }, content)
    }

    /// An element whose attributes are a list.
    package init(_ name: StaticString, pairs: [(StaticString, String)], _ content: [Markup]) {
        let attributes = pairs.map { " \($0.0)=\"\(Self.escaped($0.1))\"" }.joined()
        let start = "<\(name)\(attributes)"
        guard !content.isEmpty || !Self.emptyElements.contains("\(name)") else {
            source = start + "/>"
            return
        }
        source = start + ">" + content.map(\.source).joined() + "</\(name)>"
    }

    /// An element that holds some text.
    package init(
        _ name: StaticString, _ attributes: KeyValuePairs<StaticString, String> = [:],
        _ text: String = ""
    ) {
        self.init(name, attributes, text.isEmpty ? [] : [Markup(text)])
    }

    /// A style sheet, in which a browser reads no character reference.
    ///
    /// - Parameter sheet: of this package, not of a file that somebody wrote.
    package static func style(_ sheet: [UInt8]) -> Markup {
        trusted("<style>" + String(decoding: sheet, as: UTF8.self) + "</style>")
    }

    /// Markup of this package, not of a file that somebody wrote.
    package static func trusted(_ source: String) -> Markup {
        var markup = Markup()
        markup.source = source
        return markup
    }

    /// What is not allowed in a page at all is shown as the sign for an unknown character.
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

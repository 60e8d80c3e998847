/// Makes parts of an HTML page: sections with headings, paragraphs, lists and figures.
package enum PageSection {
    package typealias Figure = (title: String, note: String, picture: Markup)

    package static func markup(_ title: String, _ content: [Markup]) -> Markup {
        Markup("section", [:], [Markup("h2", [:], title)] + content)
    }

    package static func paragraph(_ text: String, _ style: String = "") -> Markup {
        Markup("p", ["class": style], text)
    }

    /// A definition list of names and their meanings.
    package static func list(_ entries: [(name: String, text: String)]) -> Markup {
        let items = entries.flatMap { [Markup("dt", [:], $0.name), Markup("dd", [:], $0.text)] }
        return Markup("dl", [:], items)
    }

    /// Pictures, as many side by side as fit.
    package static func figures(_ figures: [Figure]) -> Markup {
        let items = figures.map { figure in
            let caption = Markup(
                "figcaption", [:],
                [
                    Markup("strong", [:], figure.title),
                    Markup("span", ["class": "note"], figure.note),
                ])
            return Markup("figure", [:], [caption, figure.picture])
        }
        return Markup("div", ["class": "figures"], items)
    }
}

/// A table of groups of lines, which becomes a list of cards on a narrow page.
package struct PageTable: Sendable {
    package struct Column: Sendable {
        let title: String
        /// The note below the title.
        let note: Markup
        let style: String

        package init(title: String, note: Markup = Markup(), style: String = "number") {
            (self.title, self.note, self.style) = (title, note, style)
        }
    }

    private let columns: [Column]
    private var groups: [Markup] = []

    package init(_ columns: [Column]) { self.columns = columns }

    /// - Parameter title: the common title of the group's lines.
    package mutating func append(_ title: [Markup], lines: [[Markup]]) {
        let head = Markup(
            "tr", ["class": "group"],
            [Markup("th", ["colspan": "\(columns.count)", "scope": "rowgroup"], title)])
        groups.append(Markup("tbody", [:], [head] + lines.map(line)))
    }

    package var markup: Markup {
        let titles = columns.map { column in
            Markup(
                "th", ["scope": "col", "class": column.style],
                [Markup("span", [:], column.title), column.note])
        }
        let head = Markup("thead", [:], [Markup("tr", [:], titles)])
        return Markup("table", [:], [head] + groups)
    }

    private func line(_ cells: [Markup]) -> Markup {
        precondition(cells.count == columns.count, "a line has a cell for each column")
        return Markup(
            "tr", [:],
            zip(columns, cells).map { column, cell in
                Markup("td", ["class": column.style, "data-label": column.title], [cell])
            })
    }
}

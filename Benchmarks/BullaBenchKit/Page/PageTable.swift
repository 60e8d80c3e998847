/// A table of groups of lines, which becomes a list of cards where the page is narrow.
struct PageTable: Sendable {
    struct Column: Sendable {
        let title: String
        /// What stands below the title.
        var note = Markup()
        var style = "number"
    }

    private let columns: [Column]
    private var groups: [Markup] = []

    init(_ columns: [Column]) {
        self.columns = columns
    }

    /// - Parameter title: what the lines of the group have in common.
    mutating func append(_ title: [Markup], lines: [[Markup]]) {
        let head = Markup(
            "tr", ["class": "group"],
            [Markup("th", ["colspan": "\(columns.count)", "scope": "rowgroup"], title)])
        groups.append(Markup("tbody", [:], [head] + lines.map(line)))
    }

    var markup: Markup {
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

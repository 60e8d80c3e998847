/// A part of the page with a heading.
enum PageSection {
    static func markup(_ title: String, _ content: [Markup]) -> Markup {
        Markup("section", [:], [Markup("h2", [:], title)] + content)
    }

    static func paragraph(_ text: String, _ style: String = "") -> Markup {
        Markup("p", ["class": style], text)
    }

    /// Names and what they stand for.
    static func list(_ entries: [(name: String, text: String)]) -> Markup {
        let items = entries.flatMap { [Markup("dt", [:], $0.name), Markup("dd", [:], $0.text)] }
        return Markup("dl", [:], items)
    }

    /// Pictures, as many beside each other as there is space for.
    static func figures(_ figures: [(title: String, note: String, picture: Markup)]) -> Markup {
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

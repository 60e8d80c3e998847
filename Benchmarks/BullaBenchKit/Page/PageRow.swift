/// A row, and the result that it is of.
struct PageRow: Sendable {
    let row: ResultRow
    let result: BenchResult
    /// `A`, `B` and so on, where a page is made of several results.
    let letter: String?

    static func all(of results: [BenchResult]) -> [PageRow] {
        results.enumerated().flatMap { place, result in
            result.rows.map {
                PageRow(
                    row: $0, result: result,
                    letter: results.count > 1 ? letter(of: place) : nil)
            }
        }
    }

    /// How the result at `place` is called on the page.
    static func letter(of place: Int) -> String {
        place < 26 ? String(UnicodeScalar(UInt8(65 + place))) : "\(place + 1)"
    }

    var title: String { row.workload + " \u{B7} " + row.input }
    var fullTitle: String { (letter.map { "\($0): " } ?? "") + title }
}

internal import ArgumentParser
internal import BullaObjects

/// Which objects of a model to select, in which order, and which of their properties to show.
struct ObjectQueryArguments: ParsableArguments {
    @Argument(help: "The model.") var model: String
    @Argument(help: "A condition that selects objects; without one, all of them.")
    var condition: String?

    @Option(
        // Accepts a value that begins with a minus, which would otherwise be taken for an option.
        parsing: .unconditional,
        help: ArgumentHelp(
            "Sort order: comma-separated names; a minus before a name reverses it.",
            valueName: "names"))
    var sort: String?

    @Option(help: ArgumentHelp("Show at most this many objects.", valueName: "number"))
    var limit: Int?

    @Option(
        help: ArgumentHelp(
            "Properties to show: comma-separated names, or paths along links.",
            valueName: "names"))
    var select: String?

    func validate() throws {
        guard limit ?? 0 >= 0 else {
            throw ValidationError("--limit is \(limit ?? 0), expected 0 or more")
        }
    }

    var query: TextQuery {
        TextQuery(model, where: condition, sortedBy: sort, limit: limit, selecting: select)
    }

    /// The language of conditions, for help texts.
    static let language = """
        A condition names properties, also those of linked objects and of embedded values:

          age > 60 and not (company.name = "Ur" or boss is nil)
          age in (20, 30)            joined >= "2026-11-27"
          name begins with "En"      name = "UR" ignoring case
          tags contains "poet"       any friends (age > 60)
          count(tags) > 1            count(Employee.company) > 3
          marks["x"] = 3             start < end

        count(Employee.company) counts the employees whose company is the object. A wrong \
        condition is status 64, and the message names the column.
        """
}

/// A query written as text: which objects of a model to read, in what order, and how many.
///
/// It is for programs that declare no models. Its names are resolved against a schema when it is
/// used. Conditions are text, too:
///
/// | You want | You write |
/// |---|---|
/// | comparison, one of several | `age > 60`, `age in (20, 30)`, `age not in (20, 30)` |
/// | nil, and not nil | `company is nil`, `company is not nil` |
/// | text and data | `name begins with "En"`, `name contains "he"`, `name = "UR" ignoring case` |
/// | true or false | `isPaid`, `not isPaid`, `isPaid = false` |
/// | lists and sets | `tags contains "poet"`, `any tags begins with "po"`, `count(tags) > 1` |
/// | dictionaries | `marks["x"] = 3`, `marks["x"] is not nil` |
/// | links | `company = "Ur"`, `place = ("Ur", 7)`, `company.name = "Ur"` |
/// | lists of links, of embedded values | `any friends (age > 60 and boss is nil)`, `all`, `none` |
/// | what refers to an object | `count(Employee.company) > 3`, `any Employee.company (age > 60)` |
/// | embedded values | `home.street = "Gate"` |
/// | one property against another | `first = last`, `start < end` |
/// | and, or, not | `and`, `or`, `not`, `( )` |
///
/// Strings are enclosed in `"` or `'`, with the escapes of JSON. A UUID, bytes in base64, and a
/// moment such as `"2026-11-27"` or `"2026-11-27T19:43:39Z"` are strings, too. A name that is a
/// keyword, or contains characters other than letters, digits and `_`, is enclosed in backticks.
/// Nil equals only nil, as in a ``Condition``.
public struct TextQuery: Sendable, Hashable {
    /// The name of the model.
    public var model: String
    /// The condition that the objects meet; `nil` selects all.
    public var condition: String?
    /// The order: `age, -name` sorts by age, then by name in descending order.
    public var order: String?
    /// The maximum number of objects to read.
    public var limit: Int?
    /// The properties to read, possibly along links: `name, company.name`; `nil` reads all of the
    /// object's own.
    public var properties: String?

    /// A query for a model's objects.
    public init(
        _ model: String, where condition: String? = nil, sortedBy order: String? = nil,
        limit: Int? = nil, selecting properties: String? = nil
    ) {
        (self.model, self.condition, self.order) = (model, condition, order)
        (self.limit, self.properties) = (limit, properties)
    }
}

/// Which objects of a model are asked for, in what order, and how many: in words, for programs that
/// have no models.
///
/// It is a value, and is compared with a schema when it is used. Conditions are text:
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
/// Strings stand in `"` or `'`, with the escapes of JSON; a UUID, bytes in base64 and a moment
/// such as `"2026-11-27"` or `"2026-11-27T19:43:39Z"` are strings, too. A name that is a word of
/// conditions, or has other signs than letters, digits and `_`, stands in backticks. nil equals nil
/// alone, as ``Condition`` says.
public struct TextQuery: Sendable, Hashable {
    /// The name of the model.
    public var model: String
    /// Which of its objects; `nil` is all of them.
    public var condition: String?
    /// In what order: `age, -name` is by age, and then by name backwards.
    public var order: String?
    /// At most so many.
    public var limit: Int?
    /// Which properties, perhaps along links: `name, company.name`; `nil` is all of the object's
    /// own.
    public var properties: String?

    /// A query for objects of a model.
    public init(
        _ model: String, where condition: String? = nil, sortedBy order: String? = nil,
        limit: Int? = nil, selecting properties: String? = nil
    ) {
        (self.model, self.condition, self.order) = (model, condition, order)
        (self.limit, self.properties) = (limit, properties)
    }
}

import BullaRecords

/// The path from the whole text to a value, such as `operations[2].record.fields`.
///
/// The path is computed only when an error message needs it.
package struct JSONPath: CustomStringConvertible {
    private let value: JSONValue

    package init(to value: JSONValue) { self.value = value }

    package var description: String {
        var path = ""
        var outer = JSONValue(value.text, 0)
        while outer.place != value.place {
            guard let (step, part) = part(of: outer) else { break }
            path += step.hasPrefix("[") || path.isEmpty ? step : "." + step
            outer = part
        }
        return path.isEmpty ? "the request" : path
    }

    /// The member or element of `outer` that is the value or contains it, with the step of the path
    /// that leads there.
    private func part(of outer: JSONValue) -> (step: String, part: JSONValue)? {
        for (index, element) in outer.elements.enumerated() where isIn(element) {
            return ("[\(index)]", element)
        }
        for (key, member) in outer.members where isIn(member) {
            return (key.string?.told ?? "", member)
        }
        return nil
    }

    private func isIn(_ outer: JSONValue) -> Bool {
        outer.place <= value.place && value.place < Int(outer.text.tokens[outer.place].next)
    }
}

import BullaRecords

extension JSONValue {
    /// How to get to the value from the whole text, as `operations[2].record.fields`.
    ///
    /// It is looked for only where a fault tells it.
    package var path: String {
        var path = ""
        var value = JSONValue(text, 0)
        while value.place != place {
            guard let (step, part) = value.part(around: place) else { break }
            path += step.hasPrefix("[") || path.isEmpty ? step : "." + step
            value = part
        }
        return path.isEmpty ? "the request" : path
    }

    /// The member or element that the place on the tape lies in, and what it is called.
    private func part(around place: Int) -> (step: String, part: JSONValue)? {
        for (index, element) in elements.enumerated() where element.encloses(place) {
            return ("[\(index)]", element)
        }
        for (key, value) in members where value.encloses(place) {
            return (key.string?.told ?? "", value)
        }
        return nil
    }

    private func encloses(_ other: Int) -> Bool {
        place <= other && other < Int(text.tokens[place].next)
    }
}

import BullaRecords

extension Location {
    private static var numbers: [(key: String, path: WritableKeyPath<Location, Double?>)] {
        [
            ("altitude", \.altitude), ("horizontalAccuracy", \.horizontalAccuracy),
            ("verticalAccuracy", \.verticalAccuracy), ("course", \.course), ("speed", \.speed),
        ]
    }

    init(_ value: JSONValue) throws(RecordError) {
        let value = try value.asObject()
        self.init(
            latitude: try Self.number(try value.required("latitude")),
            longitude: try Self.number(try value.required("longitude")))
        for (key, path) in Self.numbers {
            if let number = value.optional(key) { self[keyPath: path] = try Self.number(number) }
        }
        if let time = value.optional("timestamp") {
            timestamp = try FieldReader.timestamp(time, at: time)
        }
    }

    private static func number(_ value: JSONValue) throws(RecordError) -> Double {
        guard let number = value.double else { throw value.refusal("a number") }
        return number
    }

    func append(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("latitude")
        writer.double(latitude)
        writer.key("longitude")
        writer.double(longitude)
        for (key, path) in Self.numbers {
            guard let number = self[keyPath: path] else { continue }
            writer.key(key)
            writer.double(number)
        }
        if let timestamp { writer.member("timestamp", timestamp) }
        writer.endObject()
    }

    /// Whether all the location's numbers are finite, so that JSON can express them.
    var isFinite: Bool {
        latitude.isFinite && longitude.isFinite
            && Self.numbers.allSatisfy { self[keyPath: $0.path]?.isFinite ?? true }
    }
}

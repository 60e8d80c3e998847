/// A place in an array, or the place of a superclass: the keys that no model names.
enum EntityKey: CodingKey {
    case index(Int)
    case superclass

    init?(stringValue: String) { nil }
    init?(intValue: Int) { self = .index(intValue) }

    var stringValue: String {
        switch self {
        case .index(let index): "Index \(index)"
        // The name that Codable gives it.
        case .superclass: "super"
        }
    }

    var intValue: Int? {
        switch self {
        case .index(let index): index
        case .superclass: 0
        }
    }
}

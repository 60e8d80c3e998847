/// A place in an array, or that of a superclass: the keys that no model names.
enum EntityKey: CodingKey {
    case index(Int)
    case superclass

    init?(stringValue: String) { nil }
    init?(intValue: Int) { self = .index(intValue) }

    var stringValue: String {
        switch self {
        case .index(let index): "Index \(index)"
        // Codable's name for it.
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

/// A key that no model names: a place in an array, or the place of a superclass.
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

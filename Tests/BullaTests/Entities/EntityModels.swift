/// One property of each kind in Codable.
struct Primitives: Codable, Equatable {
    var boolean = false
    var text = ""
    var double = 0.0
    var float: Float = 0
    var int = 0
    var int8: Int8 = 0
    var int16: Int16 = 0
    var int32: Int32 = 0
    var int64: Int64 = 0
    var uint: UInt = 0
    var uint8: UInt8 = 0
    var uint16: UInt16 = 0
    var uint32: UInt32 = 0
    var uint64: UInt64 = 0
    var bytes: [UInt8] = []

    static let least = Primitives(
        double: -.greatestFiniteMagnitude, float: -.greatestFiniteMagnitude, int: .min, int8: .min,
        int16: .min, int32: .min, int64: .min)
    static let greatest = Primitives(
        boolean: true, text: String(repeating: "\u{10FFFF}a", count: 1000),
        double: .greatestFiniteMagnitude, float: .greatestFiniteMagnitude, int: .max, int8: .max,
        int16: .max, int32: .max, int64: .max, uint: .max, uint8: .max, uint16: .max, uint32: .max,
        uint64: .max, bytes: Array(0...255) + Array(0...255))
    static let smallest = Primitives(
        text: "\0", double: .leastNonzeroMagnitude, float: .leastNonzeroMagnitude, int: -1,
        int8: -1, int16: -25, int32: -257, int64: -65537, uint: 24, uint8: 24, uint16: 256,
        uint32: 65536, uint64: 1 << 32, bytes: [0])
}

enum Contact: Codable, Equatable {
    case none
    case mail(String)
    case phone(country: Int, number: String)
}

enum Color: String, Codable { case red, green }

/// A model such as an application has: a bit of everything.
struct Login: Codable, Equatable {
    struct Address: Codable, Equatable {
        var host: String
        var ports: [UInt16]
        var note: String?
    }

    var user: String
    var secret: [UInt8]
    var score: Double
    var isShared: Bool?
    var color: Color
    var contact: Contact
    var addresses: [Address]
    var labels: [String: Int]
    var rows: [[Int?]]

    static let sample = Login(
        user: "ada", secret: [1, 2, 250, 255], score: 0.1, isShared: nil, color: .green,
        contact: .phone(country: -44, number: "20"),
        addresses: [
            Address(host: "a.example", ports: [22, 65535], note: "n\u{E9}"),
            Address(host: "", ports: [], note: nil),
        ], labels: ["bank": 1_000_000], rows: [[1, nil, -1], []])
}

/// Lists inside lists.
indirect enum Nest: Codable, Equatable {
    case end(Int)
    case list([Nest])

    init(from decoder: any Decoder) throws {
        if let number = try? decoder.singleValueContainer().decode(Int.self) {
            self = .end(number)
        } else {
            self = .list(try [Nest](from: decoder))
        }
    }

    func encode(to encoder: any Encoder) throws {
        switch self {
        case .end(let number):
            var container = encoder.singleValueContainer()
            try container.encode(number)
        case .list(let list): try list.encode(to: encoder)
        }
    }

    /// A number inside this many lists.
    static func deep(_ depth: Int) -> Nest {
        (0..<depth).reduce(.end(7)) { nest, _ in .list([nest]) }
    }
}

class Animal: Codable {
    var name: String

    init(name: String) { self.name = name }
}

/// A class that encodes its superclass into a separate map.
final class Dog: Animal {
    var age: Int

    private enum CodingKeys: CodingKey { case age }

    init(name: String, age: Int) {
        self.age = age
        super.init(name: name)
    }

    required init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        age = try container.decode(Int.self, forKey: .age)
        try super.init(from: container.superDecoder())
    }

    override func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try super.encode(to: container.superEncoder())
        try container.encode(age, forKey: .age)
    }
}

/// A class that encodes its superclass into its own map.
final class Cat: Animal {
    var lives: Int

    private enum CodingKeys: CodingKey { case lives }

    init(name: String, lives: Int) {
        self.lives = lives
        super.init(name: name)
    }

    required init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        lives = try container.decode(Int.self, forKey: .lives)
        try super.init(from: decoder)
    }

    override func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(lives, forKey: .lives)
        try super.encode(to: encoder)
    }
}

/// A value that a closure encodes.
struct Custom: Encodable {
    let body: (any Encoder) throws -> Void

    func encode(to encoder: any Encoder) throws { try body(encoder) }
}

/// Keys with any name.
struct AnyKey: CodingKey, ExpressibleByStringInterpolation {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
    init(stringLiteral value: String) { stringValue = value }
}

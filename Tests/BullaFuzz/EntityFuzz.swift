internal import Bulla
internal import BullaMemory

/// Decodes an input as an entity; a decoded entity must survive encoding and decoding.
enum EntityFuzz {
    /// One property of each kind except floats, because a float does not always equal itself.
    struct Model: Codable, Equatable {
        enum Choice: Codable, Equatable {
            case none
            case pair(Int, name: String)
        }

        var number: Int
        var small: Int8?
        var large: UInt64?
        var isTrue: Bool?
        var text: String?
        var bytes: [UInt8]?
        var choice: Choice?
        var texts: [String: [Int16]]?
        var numbers: [Int: Bool]?
        var inner: [Model]?
    }

    /// Accepts any items, and reads each of them.
    struct AnyItem: Decodable {
        init(from decoder: any Decoder) throws {
            let single = try decoder.singleValueContainer()
            guard !single.decodeNil() else { return }
            _ = try? single.decode(Double.self)
            _ = try? single.decode(String.self)
            if (try? single.decode([String: AnyItem].self)) == nil {
                _ = try? single.decode([AnyItem].self)
            }
        }
    }

    static func run(_ input: FuzzInput) {
        let bytes = input.rest
        do {
            _ = try decoded(AnyItem.self, bytes)
            let model = try decoded(Model.self, bytes)
            let entity = try EntityEncoder().encode(model)
            let again = try entity.withView { try EntityDecoder().decode(Model.self, from: $0) }
            precondition(model == again, "what decodes comes back")
        } catch {
            precondition(error is DecodingError, "what is malformed is refused when it is decoded")
        }
    }

    private static func decoded<D: Decodable>(_ type: D.Type, _ bytes: [UInt8]) throws -> D {
        try bytes.withBytes { (span) throws in try EntityDecoder().decode(type, from: span) }
    }

    static var seeds: [[UInt8]] {
        let inner = Model(number: -1, text: "\u{e9}", choice: Model.Choice.none)
        let models = [
            Model(number: 7), inner,
            Model(
                number: .max, small: .min, large: .max, isTrue: true, text: "text",
                bytes: [0, 24, 255], choice: .pair(1, name: "n"), texts: ["": [1, -1], "a": []],
                numbers: [-5: true, 300: false], inner: [inner, inner]),
        ]
        return models.compactMap { model in
            guard let entity = try? EntityEncoder().encode(model) else { return nil }
            return entity.withView { $0.copied() }
        }
    }
}

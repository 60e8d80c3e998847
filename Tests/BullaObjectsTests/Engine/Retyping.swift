import BullaObjects
import BullaTestSupport
import FoundationEssentials

/// A migration that changes a property's type, and may delete objects.
struct Retyping: Sendable {
    let name: String
    let model: String
    let property: String
    let old: ScalarType
    let new: ScalarType
    let isDeleting: Bool
    /// Whether it throws for some values.
    let isFailing: Bool

    enum Outcome: Equatable {
        case deletion, failure
        case value(Scalar?)
    }

    struct Failure: Error {}

    /// The outcome for an object with this value; equal values have equal outcomes.
    func outcome(_ value: Scalar?) -> Outcome {
        guard let value else { return .value(nil) }
        var random = TestRandom(seed: value.bytes.reduce(7) { $0 &* 31 &+ UInt64($1) })
        if isFailing, random.isOne(in: 3) { return .failure }
        if isDeleting, random.isOne(in: 4) { return .deletion }
        return .value(SampleValue.draw(new, &random).scalar)
    }

    var migration: Migration {
        Migration(name, model: model) { [self] object, _ in
            switch outcome(try object.scalar(property, old)) {
            case .failure: throw Failure()
            case .deletion: object.delete()
            case .value(let value?): try object.set(property, value)
            case .value(nil): break
            }
        }
    }
}

extension MigratedObject {
    fileprivate func scalar(_ name: String, _ type: ScalarType) throws(ObjectError) -> Scalar? {
        switch type {
        case .boolean: try value(name, as: Bool?.self)?.scalar
        case .integer: try value(name, as: AnyInteger?.self)?.scalar
        case .double: try value(name, as: Double?.self)?.scalar
        case .date: try value(name, as: Date?.self)?.scalar
        case .string: try value(name, as: String?.self)?.scalar
        case .data: try value(name, as: Data?.self)?.scalar
        case .uuid: try value(name, as: UUID?.self)?.scalar
        case .decimal: try value(name, as: Decimal?.self)?.scalar
        }
    }

    fileprivate mutating func set(_ name: String, _ scalar: Scalar) throws(ObjectError) {
        switch scalar {
        case .boolean(let value): try set(name, to: value)
        case .integer(let value): try set(name, to: value)
        case .unsigned(let value): try set(name, to: value)
        case .double(let value): try set(name, to: value)
        case .date(let value): try set(name, to: value)
        case .string(let value): try set(name, to: value)
        case .data(let value): try set(name, to: value)
        case .uuid(let value): try set(name, to: value)
        case .decimal(let value): try set(name, to: value)
        }
    }
}

/// A whole number of any sign and size.
private struct AnyInteger: Storable {
    static let scalarType = ScalarType.integer

    let scalar: Scalar

    init?(scalar: Scalar) { self.scalar = scalar }
}

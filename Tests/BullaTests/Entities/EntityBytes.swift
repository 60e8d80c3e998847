import Bulla
import BullaMemory
import BullaTestSupport
import Testing

/// The bytes of an entity, as a vault would seal them.
func encoded<E: Encodable>(_ entity: E, by encoder: EntityEncoder = EntityEncoder()) throws
    -> [UInt8]
{
    let entity = try encoder.encode(entity)
    return entity.withView { $0.copied() }
}

func decoded<E: Decodable>(
    _ type: E.Type = E.self, _ bytes: [UInt8], by decoder: EntityDecoder = EntityDecoder()
) throws -> E {
    try bytes.withBytes { (span) throws in try decoder.decode(type, from: span) }
}

/// Expects that an entity survives encoding and decoding.
func expectRoundTrip<E: Codable & Equatable>(
    _ entity: E, sourceLocation: SourceLocation = #_sourceLocation
) throws {
    #expect(try decoded(E.self, encoded(entity)) == entity, sourceLocation: sourceLocation)
}

/// The bytes that a standard writes as these hexadecimal digits.
func bytes(_ digits: String) -> [UInt8] {
    let digits = Array(digits)
    return stride(from: 0, to: digits.count, by: 2).compactMap {
        UInt8(String(digits[$0...$0 + 1]), radix: 16)
    }
}

/// The error of a decoding attempt, in a form that can be compared.
enum Refusal: Equatable {
    case mismatch, missing, nothing, corrupted

    init?(_ error: any Error) {
        switch error as? DecodingError {
        case .typeMismatch: self = .mismatch
        case .keyNotFound: self = .missing
        case .valueNotFound: self = .nothing
        case .dataCorrupted: self = .corrupted
        default: return nil
        }
    }
}

extension DecodingError {
    var context: Context? {
        switch self {
        case .typeMismatch(_, let context), .valueNotFound(_, let context),
            .keyNotFound(_, let context), .dataCorrupted(let context):
            context
        @unknown default: nil
        }
    }
}

extension EncodingError {
    var context: Context? {
        guard case .invalidValue(_, let context) = self else { return nil }
        return context
    }
}

/// How, where and with which message decoding is refused; `nil` if it succeeds.
func refusal<D: Decodable>(
    _ type: D.Type, _ bytes: [UInt8]
) -> (kind: Refusal?, path: [String], text: String)? {
    do {
        _ = try decoded(type, bytes)
        return nil
    } catch {
        let context = (error as? DecodingError)?.context
        return (
            Refusal(error), context?.codingPath.map(\.stringValue) ?? [],
            context?.debugDescription ?? ""
        )
    }
}

/// The place at which encoding fails, and the message; `nil` if it succeeds.
func encodingRefusal<E: Encodable>(_ entity: E) -> (path: [String], text: String)? {
    do {
        _ = try encoded(entity)
        return nil
    } catch {
        let context = (error as? EncodingError)?.context
        return (context?.codingPath.map(\.stringValue) ?? [], context?.debugDescription ?? "")
    }
}

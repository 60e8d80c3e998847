internal import Foundation

/// A result as a file, read back without believing it.
package enum ResultFile {
    private static let byteLimit = 1 << 30

    /// Reads one result.
    ///
    /// - Throws: ``BenchExit/input`` where it is none that this version can read, and why.
    package static func read(_ path: String) throws -> BenchResult {
        let bytes = try Descriptor.open(path).readToEnd(limit: byteLimit, of: path)
        return try result(bytes, of: path)
    }

    package static func result(_ bytes: [UInt8], of name: String) throws -> BenchResult {
        let decoder = JSONDecoder()
        let data = Data(bytes)
        do {
            let head = try decoder.decode(Head.self, from: data)
            if let reason = head.refusal { throw BenchError(.input, "read \(name): \(reason)") }
            let result = try decoder.decode(BenchResult.self, from: data)
            try ResultCheck(result).check()
            return result
        } catch let error as DecodingError {
            throw BenchError(.input, "read \(name): \(reason(error))")
        } catch let refusal as ResultCheck.Refusal {
            throw BenchError(.input, "read \(name): \(refusal.reason)")
        }
    }

    /// What says whether the rest can be read at all.
    private struct Head: Decodable {
        let schema: String
        let schemaVersion: Int

        var refusal: String? {
            if schema != BenchResult.schemaName {
                return "its schema is \(schema), expected \(BenchResult.schemaName)"
            }
            if schemaVersion != BenchResult.currentVersion {
                return "its schema has version \(schemaVersion), expected "
                    + "\(BenchResult.currentVersion)"
            }
            return nil
        }
    }

    private static func reason(_ error: DecodingError) -> String {
        switch error {
        case .keyNotFound(let key, let context):
            "\(place(context))has no field \(key.stringValue)"
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            "\(place(context))is not what it should be: \(context.debugDescription)"
        case .dataCorrupted(let context) where context.codingPath.isEmpty:
            "it is not whole JSON: \(context.debugDescription)"
        case .dataCorrupted(let context):
            "\(place(context))makes no sense: \(context.debugDescription)"
        @unknown default: "it cannot be read: \(error)"
        }
    }

    /// As `rows[3].figures[0].rates `; nothing for the result itself.
    private static func place(_ context: DecodingError.Context) -> String {
        let path = context.codingPath.map { key in
            key.intValue.map { "[\($0)]" } ?? ".\(key.stringValue)"
        }.joined()
        return path.isEmpty ? "it " : "\(path.drop { $0 == "." }) "
    }
}

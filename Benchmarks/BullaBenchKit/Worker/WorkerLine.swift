internal import Foundation

/// Messages as lines.
enum WorkerLine {
    static func bytes(_ message: some Encodable) throws -> [UInt8] {
        try JSONEncoder().encode(message) + [UInt8(ascii: "\n")]
    }

    static func message<Message: Decodable>(
        _ type: Message.Type, from line: [UInt8]
    ) throws -> Message {
        do {
            return try JSONDecoder().decode(type, from: Data(line))
        } catch {
            throw BenchError(.worker, "a line of the worker's protocol is not understood")
        }
    }
}

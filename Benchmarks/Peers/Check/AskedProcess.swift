internal import BullaBenchKit
internal import BullaText
internal import Foundation

/// A program that answers lines of its input with lines of JSON, and ends when its input ends.
///
/// The first line, which is the key, gets no answer.
package final class AskedProcess {
    private static let secondLimit = 900

    private let program: String
    private let child: Child
    private var orders: Descriptor?
    private let answers: LineReader<BenchError>

    /// - Parameter key: the key to send as the first line of the program's input, in hexadecimal
    ///   digits; nil sends `-`, for a plain store.
    package init(_ program: String, _ arguments: [String], key: String?) throws {
        self.program = program
        let input = try Descriptor.pipe()
        let output = try Descriptor.pipe()
        child = try Child(program, arguments, input: input.reading, output: output.writing)
        orders = input.writing
        answers = LineReader(output.reading)
        try send(key ?? "-")
    }

    package func send(_ line: String) throws { try orders?.write(Array("\(line)\n".utf8)) }

    package func answer<Answer: Decodable>() throws -> Answer {
        guard let line = try answers.next(timeLimit: Self.secondLimit),
            let answer = try? JSONDecoder().decode(Answer.self, from: Data(line))
        else { throw BenchError(.worker, "\(program) \(child.wait())") }
        return answer
    }

    package func ask<Answer: Decodable>(_ line: String) throws -> Answer {
        try send(line)
        return try answer()
    }

    package func close() throws {
        orders = nil
        let end = child.wait()
        guard end == .exited(0) else { throw BenchError(.worker, "\(program) \(end)") }
    }
}

/// A violation, with everything needed to reproduce it.
struct Finding: Error, CustomStringConvertible {
    let message: String
    var context: [String] = []
    var trace: [String] = []

    init(_ message: String) { self.message = message }

    var description: String {
        "\(context.reversed().joined(separator: ", ")): \(message); last operations: "
            + trace.suffix(12).joined(separator: "; ")
    }

    /// Adds `place` to anything that `body` finds.
    static func within<R>(_ place: @autoclosure () -> String, _ body: () throws -> R) throws -> R {
        do { return try body() } catch {
            var finding = error as? Finding ?? Finding("\(error)")
            finding.context.append(place())
            throw finding
        }
    }
}

/// Demands that something holds.
func demand(_ condition: Bool, _ message: @autoclosure () -> String) throws {
    guard condition else { throw Finding(message()) }
}

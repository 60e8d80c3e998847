package import BullaObjects

/// An object with the time at which it was made.
package struct Tick: Model, Hashable {
    package var writer: Int
    package var number: Int
    /// Nanoseconds of the system's clock.
    package var sent: Int

    package struct Columns: Sendable {
        package let writer = Column<Tick, Int>(0)
        package let number = Column<Tick, Int>(1)
        package let sent = Column<Tick, Int>(2)
    }

    package static let columns = Columns()
    package static let modelName = "Tick"
    package static let modelDefinition = ModelDefinition(
        modelName,
        properties: [
            PropertyDefinition("writer", Int.self), PropertyDefinition("number", Int.self),
            PropertyDefinition("sent", Int.self),
        ], key: [0, 1])

    package var modelKey: ModelKey<Int, Int> { ModelKey(writer, number) }

    package init(writer: Int, number: Int, sent: Int) {
        (self.writer, self.number, self.sent) = (writer, number, sent)
    }

    package init(from stored: borrowing StoredObject) throws(ObjectError) {
        writer = try stored.read(at: 0)
        number = try stored.read(at: 1)
        sent = try stored.read(at: 2)
    }

    package func write(to draft: inout ObjectDraft) throws(ObjectError) {
        try draft.write(writer, at: 0)
        try draft.write(number, at: 1)
        try draft.write(sent, at: 2)
    }
}

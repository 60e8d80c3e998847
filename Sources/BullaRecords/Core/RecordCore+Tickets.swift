extension RecordCore {
    /// Seals what clients keep for a purpose.
    package func tickets(for purpose: String) -> TicketSealer { TicketSealer(container, purpose) }
}

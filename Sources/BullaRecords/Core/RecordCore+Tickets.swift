extension RecordCore {
    /// The sealer for tickets of one purpose, which clients store.
    package func tickets(for purpose: String) -> TicketSealer { TicketSealer(container, purpose) }
}

extension RecordCore {
    /// The sealer for tickets that clients store for a purpose.
    package func tickets(for purpose: String) -> TicketSealer { TicketSealer(container, purpose) }
}

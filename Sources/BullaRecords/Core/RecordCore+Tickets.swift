extension RecordCore {
    /// The sealer for one purpose's tickets, which clients store.
    package func tickets(for purpose: String) -> TicketSealer { TicketSealer(container, purpose) }
}

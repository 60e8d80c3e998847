extension Store {
    /// The present moment, to be kept elsewhere and given when the store is opened again.
    public var anchor: Anchor {
        get throws(BullaError) {
            let entry = try core.enter()
            defer { core.gate.leave(entry) }
            try core.checkUse()
            try core.checkFlushed("give an anchor of")
            return Anchor(try core.board.record(.durable), of: core.parts.header)
        }
    }
}

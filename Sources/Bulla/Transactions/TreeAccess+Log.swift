extension TreeAccess {
    /// Of a snapshot of a store with a log.
    ///
    /// Where the log says nothing, it reads pages alone.
    @inline(never)
    convenience init(underLogOf core: StoreCore, _ visibility: Visibility) throws(BullaError) {
        let pin = try core.pinUnderLog(visibility)
        let (trees, nextTree, commit) = (pin.trees, pin.nextTree, pin.view.commit)
        let overlay =
            pin.view.pair.isEmpty ? nil : Overlay(pin.view, nextStoredTree: nextTree)
        self.init(core, trees, at: commit, under: overlay)
    }
}

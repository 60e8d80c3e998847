internal import BullaMemory
internal import Dispatch

/// Finds pages in the frames that processes share, and publishes them there.
extension FrameCache {
    /// The page's content, if it is in a frame of this process, or in a shared frame other than its
    /// home.
    ///
    /// - Parameter word: the table's word for the page, which names a frame.
    func contentOutsideHome(_ word: UInt64, _ pointer: PagePointer) -> ByteView? {
        if let content = homes.content(named: word, pointer) { return content }
        guard let name = shared?.find(pointer) else { return nil }
        note(name, pointer)
        homes.see(named: name)
        return homes.content(named: name)
    }

    /// As ``contentOutsideHome(_:_:)``, but does not mark the page as read; also finds a page in
    /// its home if the home is a shared frame.
    func peek(_ word: UInt64, _ pointer: PagePointer) -> ByteView? {
        if let content = homes.peek(named: word, number: pointer.number, check: pointer.check) {
            return content
        }
        return shared?.find(pointer).map { homes.content(named: $0) }
    }

    /// Makes the table name the shared frame that has a page, so that the next lookup finds it at
    /// once.
    private func note(_ name: UInt64, _ pointer: PagePointer) {
        let former = table.load(pointer.number)
        guard former != name, table.exchange(former, for: name, at: pointer.number),
            let frame = region.frame(ifNamed: former)
        else { return }
        // The former frame has another version of the page.
        retire([frame])
    }

    /// Publishes a shared frame whose content is complete.
    ///
    /// Call this inside an epoch.
    func publish(
        _ claim: SharedFrames.Claim, _ pointer: PagePointer, _ shared: SharedFrames
    ) -> ByteView {
        let (name, block) = shared.publish(claim, pointer)
        if let block { Self.tidying.async { shared.collapse(block) } }
        if name != homes.name(homes.home(pointer.number)) { note(name, pointer) }
        return homes.content(named: name)
    }
}

extension FrameHomes {
    /// The content of a named frame, if the frame holds the page version that the pointer names.
    func content(named name: UInt64, _ pointer: PagePointer) -> ByteView? {
        content(named: name, number: pointer.number, check: pointer.check)
    }
}

internal import BullaMemory

/// What must hold of changed pages before they are sealed.
extension WriteState {
    func checkInvariants(_ index: Int) {
        invariant(dirty(index).isLive, "a page that is sealed is in use")
        page(index).checkInvariants(
            dirty(index).kind, level: dirty(index).level, birth: commit,
            contentByteCount: format.contentByteCount,
            isChanged: { $0.dirtyIndex(token: dirtyToken) != nil })
    }
}

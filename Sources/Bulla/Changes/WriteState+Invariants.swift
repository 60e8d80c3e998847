internal import BullaMemory

/// What must hold of changed pages before they are sealed.
extension WriteState {
    func checkInvariants(_ index: Int) {
        let page = page(index)
        let level = dirty(index).level
        invariant(dirty(index).isLive, "a page that is sealed is in use")
        invariant(page.level == level, "a page is of the level that it was made for")
        invariant(
            (level == 0) == (dirty(index).kind == .leaf), "leaves, and only they, are of level 0")
        invariant(page.count > 0, "a page that is sealed holds something")
        invariant(
            page.isSound(contentByteCount: format.contentByteCount),
            "slots and cells fit the page and add up")
        invariant(page.isOrdered(), "keys ascend strictly, and heads are what their keys say")
        invariant(
            level == 0
                || (0..<page.count).allSatisfy {
                    page.child($0).dirtyIndex(token: dirtyToken) == nil
                },
            "a branch names sealed pages only")
        invariant(
            page.namesNoPage(youngerThan: commit),
            "no page is younger than the one that names it")
    }
}

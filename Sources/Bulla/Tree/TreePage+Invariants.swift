package import BullaMemory

extension TreePage {
    /// Checks the invariants of a page that the engine made, before it is sealed.
    ///
    /// - Parameters:
    ///   - birth: the commit to which the page will belong.
    ///   - isChanged: whether a pointer names a changed page in memory; no such pointer may reach
    ///     the file.
    func checkInvariants(
        _ kind: PageKind, level: Int, birth: UInt64, contentByteCount: Int,
        isChanged: (PagePointer) -> Bool
    ) {
        invariant(self.level == level, "a page has the level that it was made for")
        invariant((level == 0) == (kind == .leaf), "leaves, and only leaves, have level 0")
        invariant(count > 0, "a page that is sealed holds something")
        invariant(
            isSound(contentByteCount: contentByteCount), "slots and cells fit the page and add up")
        invariant(isOrdered(), "keys ascend strictly, and heads match their keys")
        invariant(
            level == 0 || (0..<count).allSatisfy { !isChanged(child($0)) },
            "a branch names sealed pages only")
        invariant(
            namesNoPage(youngerThan: birth), "no page is younger than the one that names it")
    }

    /// Checks the result of a search in a leaf whose structure is sound.
    package func checkSearch(_ key: ByteView, _ index: Int, _ isFound: Bool) {
        invariant(0...count ~= index, "a search ends inside its page")
        invariant(
            index == 0 || self.key(index - 1).compare(key) < 0, "a search passes only smaller keys")
        invariant(
            index == count || self.key(index).compare(key) >= 0,
            "no key from the place on is smaller")
        invariant(
            isFound == (index < count && self.key(index).compare(key) == 0),
            "a search finds a key if and only if the leaf has it")
    }
}

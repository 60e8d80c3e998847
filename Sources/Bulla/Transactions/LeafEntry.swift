internal import BullaMemory

/// The leaf entry on which a cursor stands; read it inside ``ReaderClaim/lending(_:)``.
struct LeafEntry {
    let pager: Pager
    let leaf: TreePath.Step

    @inline(__always)
    init(_ leaf: TreePath.Step, in pager: Pager) { (self.leaf, self.pager) = (leaf, pager) }

    @inline(__always)
    func withKey<R>(_ body: (RawSpan) throws -> R) throws -> R {
        try lend { page, index in
            try ReaderClaim.callers { try page.key(index).withSpan(body) }
        }
    }

    @inline(__always)
    func withValue<R>(_ body: (RawSpan) throws -> R) throws -> R {
        try lend { page, index in
            guard page.isLarge(index) else {
                return try ReaderClaim.callers { try page.payload(index).withSpan(body) }
            }
            return try pager.lendWhole(LargeValue(page.payload(index))) { value in
                try ReaderClaim.callers { try value.withSpan(body) }
            }
        }
    }

    @inline(__always)
    private func lend<R>(_ body: (TreePage, Int) throws -> R) throws -> R {
        try pager.lend(leaf.pointer, .leaf) { bytes in
            let page = TreePage(bytes, .leaf)
            try pager.checkLevel(page, leaf.pointer, .leaf, 0)
            return try body(page, leaf.index)
        }
    }

    @inline(__always)
    func valueByteCount() throws(BullaError) -> Int {
        try pager.operate { () throws(BullaError) in
            let page = try pager.treePage(leaf.pointer, level: 0)
            return Int(clamping: page.value(leaf.index).byteCount)
        }
    }
}

/// Where the log's halves are: for each, the stretch of pages that it occupies.
struct Halves: Hashable {
    var even: UInt8 = 0
    var odd: UInt8 = 1

    /// The stretch of the half to which a use belongs.
    subscript(use: UInt8) -> UInt8 {
        get { use % 2 == 0 ? even : odd }
        set {
            if use % 2 == 0 { even = newValue } else { odd = newValue }
        }
    }

    func contains(_ stretch: Int) -> Bool { Int(even) == stretch || Int(odd) == stretch }
}

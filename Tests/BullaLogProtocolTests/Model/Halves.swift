/// Where the halves of the log lie: of each one the stretch of pages that it has.
struct Halves: Hashable {
    var even: UInt8 = 0
    var odd: UInt8 = 1

    /// The stretch of the half that a use is of.
    subscript(use: UInt8) -> UInt8 {
        get { use % 2 == 0 ? even : odd }
        set {
            if use % 2 == 0 { even = newValue } else { odd = newValue }
        }
    }

    func contains(_ stretch: Int) -> Bool { Int(even) == stretch || Int(odd) == stretch }
}

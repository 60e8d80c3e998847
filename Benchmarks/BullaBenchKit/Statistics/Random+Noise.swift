internal import Glibc

/// What measurements are made of in a synthetic run.
extension Random {
    /// A standard normal number.
    ///
    /// - Source: Box and Muller, "A Note on the Generation of Random Normal Deviates", 1958.
    package mutating func normal() -> Double {
        (-2 * log(1 - unit())).squareRoot() * cos(2 * .pi * unit())
    }

    /// A positive number of the exponential distribution, 1 on average and now and then far more.
    package mutating func exponential() -> Double {
        -log(1 - unit())
    }
}

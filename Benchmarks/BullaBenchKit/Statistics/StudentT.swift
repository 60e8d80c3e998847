/// Student's t distribution, as far as a 95 % interval needs it.
package enum StudentT {
    /// The 0.975 quantiles for 1 to 30 degrees of freedom.
    private static let table = [
        12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
        2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
        2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
    ]

    /// The 0.975 quantile; beyond the table a fit that is right to 0.001.
    package static func quantile975(_ freedom: Int) -> Double {
        precondition(freedom >= 1, "there is a degree of freedom")
        return freedom <= table.count ? table[freedom - 1] : 1.960 + 2.42 / Double(freedom)
    }
}

internal import Glibc

/// A run that never happened, whose true median ratio is known.
///
/// It has what makes real runs hard to judge. Each round has processes of its own, which shift all
/// of its ratios together. Each slice has noise of its own, and now and then a disturbance that
/// only ever slows it. The machine drifts within a round. And what lies above the true ratio lies
/// farther from it than what lies below.
///
/// The true median is exact. Without the last of these both sides of a ratio are alike but for its
/// true value: exchanged, they turn the logarithm of what is off by into its negative. The drift
/// favours the one side in every other group and the other side in the others, by as much. So the
/// logarithm is symmetric about the truth; and to stretch what lies above moves no median.
package struct SyntheticRun {
    package static let groupsPerRound = 4

    /// How far a side's processes shift a round, as a logarithm.
    private static let roundNoise = 0.02
    private static let sliceNoise = 0.02
    /// One slice of ten is disturbed, by a tenth of its time on average.
    private static let disturbance = (share: 0.1, cost: 0.1)
    /// From one slice to the next, at most, up or down.
    private static let driftLimit = 0.015
    private static let stretch = 1.5

    private let ratio: Double
    private var random: Random

    package init(ratio: Double, seed: UInt64) {
        self.ratio = ratio
        random = Random(seed, 0x5EED)
    }

    /// So many rounds, and the ratios of each.
    package mutating func rounds(_ count: Int) -> [[Double]] {
        (0..<count).map { _ in nextRound() }
    }

    /// The ratios of the groups of one round.
    package mutating func nextRound() -> [Double] {
        let shift = Self.roundNoise * (random.normal() - random.normal())
        let drift = Self.driftLimit * (2 * random.unit() - 1)
        return (0..<Self.groupsPerRound).map { group in
            // Of four slices the contender's are the inner two, or the outer two.
            let inner = time(1, drift) + time(2, drift)
            let outer = time(0, drift) + time(3, drift)
            let off = shift + log(group % 2 == 0 ? inner / outer : outer / inner)
            return ratio * exp(off > 0 ? off * Self.stretch : off)
        }
    }

    /// The time of one slice, without the contender's share.
    private mutating func time(_ place: Int, _ drift: Double) -> Double {
        let isDisturbed = random.unit() < Self.disturbance.share
        let delay = isDisturbed ? Self.disturbance.cost * random.exponential() : 0
        return exp(Self.sliceNoise * random.normal() + drift * Double(place)) * (1 + delay)
    }
}

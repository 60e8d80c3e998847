/// What others did to the machine while a run measured.
package struct MachineNoise: Codable, Sendable, Equatable {
    /// Above these shares of the machine's time, the run is called noisy.
    package static let foreignLimit = 0.05
    package static let stolenLimit = 0.01

    /// The share of all cores' time that other processes used.
    package let foreignShare: Double
    /// The share that the host of a virtual machine took away.
    package let stolenShare: Double

    package init(foreignShare: Double, stolenShare: Double) {
        self.foreignShare = foreignShare
        self.stolenShare = stolenShare
    }

    init(from start: MachineLoad, to end: MachineLoad) {
        let total = max(end.total - start.total, 0.01)
        let foreign = (end.busy - start.busy) - (end.own - start.own)
        self.init(
            foreignShare: max(foreign, 0) / total,
            stolenShare: max(end.stolen - start.stolen, 0) / total)
    }

    /// What people are told; nil where the machine was quiet.
    package var warning: String? {
        guard foreignShare > Self.foreignLimit || stolenShare > Self.stolenLimit else { return nil }
        return "the machine was noisy: other processes used \(Self.percent(foreignShare)) of its "
            + "time, its host took \(Self.percent(stolenShare))"
    }

    private static func percent(_ share: Double) -> String {
        Format.fixed(share * 100, 1) + " %"
    }
}

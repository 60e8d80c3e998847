/// How a store behaves that is made to check the instrument: a real one, whose faults are known.
package struct ModelBehaviour: Codable, Sendable, Equatable {
    /// What a read takes, at least: far more than the store needs for it.
    package var readNanoseconds: UInt64 = 0
    /// Every so many reads, one of each thread takes longer; 0: never.
    package var readsPerStall = 0
    package var stallNanoseconds: UInt64 = 0
    /// Whether a load forgets one record.
    package var losesRecord = false
    /// Whether the time of a read is not measured but made up from its key, so that it is the same
    /// whenever, and wherever, the key is read.
    package var makesUpTime = false

    package init() {}
}

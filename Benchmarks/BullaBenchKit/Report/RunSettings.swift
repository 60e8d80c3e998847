/// What a run was asked for, as far as it decides what is measured.
package struct RunSettings: Codable, Sendable, Equatable {
    package var workers: Int
    package var threads: Int
    /// What the cost of encryption is judged against: 0.10 for 10 %.
    package var target: Double
    /// How narrow the interval of a ratio is to be before its row ends; nil: all rounds are run.
    package var precision: Double?
    package var secondLimit: Int
    package var roundLimit: Int
    /// Operations of the whole run in each slice; nil where slices are calibrated by time.
    package var operationCount: Int?
    /// Operations by the second, of all threads together, in open loop; nil in closed loop.
    package var rate: Double?
    /// Of generated records.
    package var recordCount: Int
    package var fieldCount: Int
    package var fieldByteCount: Int
    package var values: String
    package var seed: UInt64
    package var directory: String
    /// Where threads and memory were asked to be: `none`, or as `--place` and `--memory` say it.
    package var placement: String

    package init(_ options: ComparisonOptions) {
        workers = options.workers
        threads = options.threads
        target = options.target
        precision = options.precision
        secondLimit = options.secondLimit
        roundLimit = options.roundLimit
        operationCount = options.operationCount
        rate = options.rate
        recordCount = options.records.count
        fieldCount = options.records.fieldCount
        fieldByteCount = options.records.fieldByteCount
        values = options.records.values.description
        seed = options.seed
        directory = options.directory
        placement = options.placement.description
    }
}

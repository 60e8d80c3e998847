/// How a worker opens its store, and what its threads do.
package struct WorkerSetup: Codable, Sendable {
    package var engine: EngineSetup
    package var recordsPath: String
    /// One for each thread.
    package var plans: [WorkloadPlan]
    /// Where each thread is wanted.
    package var places: [ThreadPlacement]
    /// Where all threads of all workers wait for the start of a slice.
    package var barrierPath: String

    package init(
        engine: EngineSetup, recordsPath: String, plans: [WorkloadPlan],
        places: [ThreadPlacement], barrierPath: String
    ) {
        self.places = places
        self.barrierPath = barrierPath
        self.engine = engine
        self.recordsPath = recordsPath
        self.plans = plans
    }
}

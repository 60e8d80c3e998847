/// How a worker opens its store, and what its threads do.
package struct WorkerSetup: Codable, Sendable {
    package var engine: EngineSetup
    package var recordsPath: String
    /// One for each thread.
    package var plans: [WorkloadPlan]

    package init(engine: EngineSetup, recordsPath: String, plans: [WorkloadPlan]) {
        self.engine = engine
        self.recordsPath = recordsPath
        self.plans = plans
    }
}

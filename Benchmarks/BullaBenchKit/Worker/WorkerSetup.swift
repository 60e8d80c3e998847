/// How a worker opens its store.
package struct WorkerSetup: Codable, Sendable {
    package var store: StoreSetup
    package var recordsPath: String
    /// One for each thread.
    package var plans: [WorkloadPlan]

    package init(store: StoreSetup, recordsPath: String, plans: [WorkloadPlan]) {
        self.store = store
        self.recordsPath = recordsPath
        self.plans = plans
    }
}

import BullaProcessSupport
import BullaRecordsWorker

extension TrialCrew {
    /// The stores of its folder.
    func site() throws -> TrialSite { try TrialSite(folder) }
}

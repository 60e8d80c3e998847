import BullaProcessSupport
import BullaRecordsWorker

extension TrialCrew {
    /// The stores in the crew's folder.
    func site() throws -> TrialSite { try TrialSite(folder) }
}

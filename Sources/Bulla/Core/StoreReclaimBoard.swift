/// Answers what a change of the trees asks of an open store: which pages are still needed, and how
/// many can be sealed.
final class StoreReclaimBoard: ReclaimBoard {
    private let board: CheckpointBoard
    private let slots: ReaderSlots
    private let metaWriter: MetaWriter
    private let place: PlaceCheck
    private let entrance: Entrance

    init(
        _ board: CheckpointBoard, _ slots: ReaderSlots, _ metaWriter: MetaWriter,
        _ place: PlaceCheck,
        _ entrance: Entrance
    ) {
        self.board = board
        self.slots = slots
        self.metaWriter = metaWriter
        self.place = place
        self.entrance = entrance
    }

    func confirmedCommit() throws(BullaError) -> UInt64 {
        let record = try board.checkpoint()
        return PlantedBug.isPlanted(.pagesFreedEarly) ? record.commit : record.lastDurable
    }

    func confirmCheckpoint() throws(BullaError) { try metaWriter.confirmCheckpoint() }

    func snapshotCommits() throws(BullaError) -> [UInt64] { try slots.snapshotCommits() }

    func reserveSeals(_ count: UInt64) throws(BullaError) {
        let checkpoint = try board.checkpoint()
        guard board.seals.add(count, checkpoint) > checkpoint.reservedCount else { return }
        try metaWriter.renew(SealBudget())
    }

    func checkPlace() throws(BullaError) { try place.check() }

    @inline(__always)
    func checkProcess() throws(BullaError) { try entrance.checkProcess() }
}

/// Takes away from a store, before a slice, what the row's regime says it must not have.
struct Cooling {
    private let temperature: Temperature
    private let folders: [String]

    init(_ temperature: Temperature, _ folders: [String]) {
        self.temperature = temperature
        self.folders = folders
    }

    func cool(_ crew: Crew, _ contender: Int) throws {
        switch temperature {
        case .cold: try crew.reopen {}
        case .disk: try crew.reopen { try PageCache.drop(filesIn: folders[contender]) }
        case .hot, .overCache, .memoryBound, .empty: break
        }
    }
}

import BullaExploration

/// One frame of a page pool, and its workers, at one moment.
///
/// Memory is sequentially consistent here. Where the order of a store and a later load matters, the
/// engine has a fence, or an exchange, which acts as one.
struct PoolState: ExploredState {
    /// The frame's first word.
    enum Word: Hashable {
        case empty
        case claimed(UInt8)
        /// A version of a page; the engine's word holds only the page's number.
        case page(UInt8)
        case retiring(UInt8)
        case retired(UInt8)
    }

    /// What a worker does, apart from answering.
    enum Task: Hashable {
        case joining, joiningAnswered
        case idle
        /// In an operation that has not found the page yet; after that, the task is `reading`.
        case entered
        case reading(UInt8)
        /// A closure reads the page.
        case holding(UInt8)
        case sawPage(round: UInt8)
        case madeRetiring(UInt8)
        case stamping(UInt8, round: UInt8)
        /// Reads the answers one by one, and keeps the least.
        case looking(UInt8, least: UInt8, next: UInt8)
        case unsettled(UInt8, least: UInt8)
        case noting(Word)
        case claiming(Word)
        case writing, publishing, published
        case reaping(UInt8)
        case clearing(UInt8)
    }

    /// How far a worker has got with an answer.
    enum Answering: Hashable {
        case nothing
        case waiting(UInt8, forOperation: Bool)
        case looking(UInt8)
        case postponing(UInt8, Word)
        case telling(UInt8)
    }

    struct Worker: Hashable {
        var isAlive = true
        var isUsed = true
        var answer: UInt8 = 1
        var hasNote = false
        var task = Task.idle
        var answering = Answering.nothing
        var readsLeft: UInt8
        var claimsLeft: UInt8

        var isReading: Bool {
            switch task {
            case .entered, .reading: true
            default: false
            }
        }

        /// Whether it has nothing left to do.
        var isDone: Bool {
            !isAlive || task == .idle && readsLeft == 0 && claimsLeft == 0
        }
    }

    enum Fault: String, ExploredFault {
        case torn = "a frame changes while a worker reads it"
        case stuck = "a worker waits for ever"
    }

    var word = Word.page(1)
    /// The version of the frame's content; 0 while the content is being written.
    var content: UInt8 = 1
    var version: UInt8 = 1
    var round: UInt8 = 1
    /// How many retirements have begun.
    var retirementCount: UInt8 = 0
    /// How many more rounds the workers may begin for other frames.
    var roundsLeft: UInt8 = 0
    var deathsLeft: UInt8
    var workers: [Worker]

    var fault: Fault? {
        for worker in workers where worker.isAlive {
            switch worker.task {
            case .reading(let version), .holding(let version):
                if version != content { return .torn }
            default: break
            }
        }
        return nil
    }
}

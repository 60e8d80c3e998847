import BullaExploration

/// Something that must never happen.
enum Fault: String, ExploredFault {
    case overwritten = "a snapshot reads a page that was written over"
    case promiseBroken = "a commit that was said to be durable is lost"
    case fellPastConfirmed = "an older commit takes the place of a confirmed one"
    case secondWorld = "two processes each believe that they are alone"
    case refused = "a file that nobody damaged is refused"
    case boardBehind = "the coordination file is behind the file"
    case stuck = "somebody waits for ever"
}

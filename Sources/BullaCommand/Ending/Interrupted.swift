/// A signal asked the command to stop.
struct Interrupted: Error {
    let signal: Int32
    var loaded: LoadSummary?

    var isByKeyboard: Bool { signal == Signals.interrupt }
}

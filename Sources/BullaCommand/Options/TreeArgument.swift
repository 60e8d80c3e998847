internal import ArgumentParser
internal import Bulla

/// The name of a tree on the command line, in the form that `bulla trees` prints.
struct TreeArgument: ExpressibleByArgument {
    let name: TreeName

    init?(argument: String) {
        guard let name = TreeName(escaped: argument) else { return nil }
        self.name = name
    }

    /// What the help of every command calls it.
    static let help = ArgumentHelp("The tree; escaped as bulla trees prints it.")
}

import Bulla
import BullaMemory

/// The system's files, in a process that kills or stops itself at a given step.
struct KillingStorage: StorageSystem {
    private let base = SystemStorage()
    private let trigger: KillTrigger

    init(_ point: KillPoint, isStopping: Bool = false) {
        trigger = KillTrigger(point, isStopping: isStopping)
    }

    static func isWorld(_ path: String) -> Bool { path.contains(".bulla-world") }

    func resolve(_ path: String) throws(BullaError) -> String { try base.resolve(path) }

    func open(_ path: String, _ mode: OpenMode) throws(BullaError) -> any StorageFile {
        let isWorld = Self.isWorld(path)
        let step: KillStep =
            if case .creating = mode, isWorld { .createWorld } else if isWorld { .openWorld } else {
                .openData
            }
        let file = try trigger.pass(step) { () throws(BullaError) in try base.open(path, mode) }
        return KillingFile(file, isWorld: isWorld, trigger)
    }

    func link(_ path: String, as name: String) throws(BullaError) -> Bool {
        try base.link(path, as: name)
    }

    func rename(_ path: String, to name: String) throws(BullaError) {
        try trigger.pass(Self.isWorld(name) ? .renameWorld : nil) { () throws(BullaError) in
            try base.rename(path, to: name)
        }
    }

    func remove(_ path: String) throws(BullaError) {
        // The maker of a coordination file first removes leftovers, which have another name.
        let isWorld = path.hasSuffix(".bulla-world")
        try trigger.pass(isWorld ? .removeWorld : nil) { () throws(BullaError) in
            try base.remove(path)
        }
    }

    func identity(of path: String) throws(BullaError) -> FileIdentity? {
        try base.identity(of: path)
    }

    func flushFolder(of path: String) throws(BullaError) { try base.flushFolder(of: path) }

    func bootIdentifier() -> Identifier { base.bootIdentifier() }
}

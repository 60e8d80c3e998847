import Bulla
import BullaTestSupport
import Testing

/// The documented way to catch errors, which must compile in every build, together with closures
/// that throw nothing.
@Suite struct `A plain catch` {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    @Test func `beside closures that throw nothing has the error and its code`() throws {
        let path = scratch.path("none.bulla")
        #expect(try check(path) == .io)
        #expect(try openThenAsk(path) == .io)
        let store = try Store.open(at: path)
        #expect(try check(path) == nil)
        try store.close()
        #expect(try ask(store) == .closed)
    }

    private func check(_ path: String) throws -> BullaError.Code? {
        do {
            let report = try Store.check(at: path)
            return report.defects.map { $0.kind }.isEmpty && report.isSound ? nil : .corrupted
        } catch {
            guard error.code == .io else { throw error }
            return error.code
        }
    }

    private func openThenAsk(_ path: String) throws -> BullaError.Code? {
        var options = StoreOptions()
        options.creation = .never
        do {
            let store = try Store.open(at: path, options: options)
            let names = try store.makeSnapshot().treeNames()
            return names.contains { $0.bytes.isEmpty } ? .corrupted : nil
        } catch {
            guard error.code == .io else { throw error }
            return error.code
        }
    }

    private func ask(_ store: Store) throws -> BullaError.Code? {
        do {
            let (info, anchor) = (try store.info, try store.anchor)
            let statistics = try store.statistics
            let counts = [UInt64(statistics.commitCount), anchor.commit].map { $0 + 1 }
            return info.isEncrypted && counts.isEmpty ? .io : nil
        } catch {
            guard error.code == .closed else { throw error }
            return error.code
        }
    }
}

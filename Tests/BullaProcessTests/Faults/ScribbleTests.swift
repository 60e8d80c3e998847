import Bulla
import BullaProcessSupport
import BullaTestSupport
import BullaWorker
import Foundation
import Testing

@Suite(.serialized) struct `A coordination file scribbled over by a stranger` {
    private static let rounds = TestMode.pick(short: 6, long: 100)
    private static let workers = [0, 1, 4, 5]

    /// What an outsider writes, where, and how many times.
    private enum Scribble: String, CaseIterable, CustomTestStringConvertible {
        case bytes = "single bytes"
        case words = "words"
        case all = "everything at once"
        var testDescription: String { rawValue }
    }

    @Test(arguments: Scribble.allCases, [StoreKind.gcm, .plain])
    private func `20. costs errors, but neither data nor a process nor time`(
        scribble: Scribble, kind: StoreKind
    ) throws {
        let seed = Int.random(in: 0..<1 << 30)
        print("scribble: \(scribble.rawValue), \(kind.rawValue), seed \(seed)")
        let files = try TestStore(kind)
        try files.createTorture()
        let scores = try Scoreboard(files.scoresPath)
        var random = TestRandom(seed: seed)
        for round in 0..<Self.rounds {
            let workers = try Self.workers.map { index in
                try files.torturer(index, seed: round * 10 + index, isScribbled: true)
            }
            for worker in workers { _ = try worker.values() }
            self.scribble(scribble, files, &random)
            for worker in workers { try expectUnharmed(worker, files) }
            try files.expectSurvived(scores)
        }
    }

    private func scribble(
        _ scribble: Scribble, _ files: TestStore, _ random: inout TestRandom
    ) {
        let name = TestStore.name + ".bulla-world"
        for _ in 0..<(scribble == .all ? 1 : 200) {
            // Three times in four, overwrite only words of the board, and no slots.
            let end = random.below(4) == 0 ? 12_288 : 1024
            let (count, place) =
                switch scribble {
                case .bytes: (1, random.below(end))
                case .words: (8, random.below(end / 8) * 8)
                case .all: (12_288, 0)
                }
            // If all workers have given up, the last one has removed the file.
            guard files.scratch.exists(name) else { return }
            try? files.scratch.overwrite(name, with: random.uniqueBytes(count), at: place)
            usleep(500)
        }
    }

    /// Expects that a worker ends on command, either well or with an error of the store.
    private func expectUnharmed(_ worker: WorkerProcess, _ files: TestStore) throws {
        worker.child.closeInput()
        let end = try worker.child.wait(patience: TestMode.patience)
        let isUnharmed = end == .done || end == .exited(WorkerExit.storeFailed.rawValue)
        let errors = try String(decoding: files.scratch.bytes("errors"), as: UTF8.self)
        #expect(isUnharmed, "\(end): \(errors.suffix(600))")
    }
}

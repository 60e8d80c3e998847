import BullaBenchKit
import Testing

@Suite struct `A machine` {
    @Test func `finds the file system that holds a folder`() {
        let mounts = """
            1 0 8:1 / / rw,relatime - ext4 /dev/root rw
            2 1 0:5 / /data rw,noatime shared:1 - xfs /dev/data rw
            3 1 0:6 / /data/fast rw - tmpfs tmpfs rw
            """
        #expect(FileSystem(holding: "/data/x", mounts: mounts)?.kind == "xfs")
        #expect(FileSystem(holding: "/data/fast", mounts: mounts)?.kind == "tmpfs")
        #expect(FileSystem(holding: "/database", mounts: mounts)?.kind == "ext4")
        #expect(FileSystem(holding: "/", mounts: "") == nil)
    }

    @Test func `says what it is without failing where something is not told`() {
        let machine = Machine(directory: "/")
        #expect(machine.coreCount >= 1)
        #expect(machine.memoryByteCount > 0)
        #expect(machine.kernel != "unknown")
    }

    @Test(arguments: [
        (0.01, 0.0, false), (0.06, 0.0, true), (0.0, 0.02, true),
    ])
    func `that was noisy is reported as such`(foreign: Double, stolen: Double, isNoisy: Bool) {
        let noise = MachineNoise(foreignShare: foreign, stolenShare: stolen)
        #expect((noise.warning != nil) == isNoisy)
    }
}

@Suite struct `A child process` {
    @Test func `that is killed is told by its signal`() {
        #expect(ChildEnd(status: 9) == .killed(9))
        #expect("\(ChildEnd(status: 9))" == "was killed by signal 9 (Killed)")
    }

    @Test func `that ends is told by its status and what that means`() {
        #expect(ChildEnd(status: 0) == .exited(0))
        #expect("\(ChildEnd(status: 72 << 8))" == "ended with status 72 (digest)")
        #expect("\(ChildEnd(status: 3 << 8))" == "ended with status 3")
    }

    @Test func `that cannot be started is an error`() {
        let error = #expect(throws: BenchError.self) {
            try Child.output(of: "/nowhere/tool", [], limit: 1, reading: "x")
        }
        #expect(error?.exit == .system)
    }

    @Test func `that writes more than is wanted is an error`() {
        let error = #expect(throws: BenchError.self) {
            try Child.output(of: "yes", [], limit: 1 << 20, reading: "x")
        }
        #expect(error?.message == "read x: it has more than 1 MiB")
    }
}

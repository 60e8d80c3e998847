internal import Glibc

/// The function that libFuzzer calls first; it writes the seeds and exits if `BULLA_FUZZ_SEEDS`
/// names a folder for them.
@_cdecl("LLVMFuzzerInitialize")
public func initializeFuzzer(
    _ count: UnsafeMutablePointer<CInt>, _ arguments: UnsafeRawPointer
) -> CInt {
    // SAFETY: nothing changes the environment.
    guard let folder = unsafe getenv("BULLA_FUZZ_SEEDS") else { return 0 }
    for (number, seed) in FuzzTarget.chosen.seeds.enumerated() {
        let path = unsafe String(cString: folder) + "/seed-\(number)"
        precondition(FuzzFile.write(seed, to: path), "the folder for seeds can be written to")
    }
    exit(0)
}

/// The function that libFuzzer calls for each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    // SAFETY: libFuzzer lends this many bytes for the call; they are copied.
    let input = unsafe [UInt8](UnsafeBufferPointer(start: bytes, count: count))
    FuzzTarget.chosen.run(FuzzInput(input))
    return 0
}

internal import CBullaCipher

/// The libcrypto that does the work.
package enum CipherLibrary {
    /// Its version text, for reports.
    package static var version: String {
        // SAFETY: a constant text of the library, ended by a zero.
        unsafe String(cString: bulla_library_version())
    }
}

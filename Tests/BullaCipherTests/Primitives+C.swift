import BullaMemory
import CBullaCipher

/// The one-shot functions of the C target, for tests with known answers.
enum Primitives {
    static func gcmSeal(key: [UInt8], nonce: [UInt8], context: [UInt8], plaintext: [UInt8])
        -> (status: bulla_cipher_status, sealed: [UInt8])
    {
        var sealed = [UInt8](repeating: 0, count: plaintext.count + Int(BULLA_TAG_BYTES))
        // SAFETY: every count is that of its array.
        let status = unsafe bulla_gcm_seal(
            key, nonce, context, context.count, plaintext, plaintext.count, &sealed)
        return (status, sealed)
    }

    static func gcmOpen(key: [UInt8], nonce: [UInt8], context: [UInt8], sealed: [UInt8])
        -> (status: bulla_cipher_status, opened: [UInt8])
    {
        let count = sealed.count - Int(BULLA_TAG_BYTES)
        var opened = [UInt8](repeating: 0xff, count: max(count, 1))
        // SAFETY: every count is that of its array.
        let status = unsafe bulla_gcm_open(
            key, nonce, context, context.count, sealed, sealed.count, &opened)
        return (status, Array(opened.prefix(max(count, 0))))
    }

    static func ctrApply(key: [UInt8], counter: [UInt8], input: [UInt8])
        -> (status: bulla_cipher_status, output: [UInt8])
    {
        var output = [UInt8](repeating: 0, count: input.count)
        // SAFETY: every count is that of its array.
        let status = unsafe bulla_ctr_apply(key, counter, input, input.count, &output)
        return (status, output)
    }

    /// The epoch in sealed bytes, according to the C target.
    static func epoch(of sealed: [UInt8]) -> UInt32 {
        unsafe bulla_page_epoch(sealed, sealed.count)
    }

    static func wiped(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        unsafe bulla_wipe(&bytes, bytes.count)
        return bytes
    }

    static func equal(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        precondition(one.count == other.count, "only bytes of one length are compared")
        return unsafe bulla_equal(one, other, one.count)
    }
}

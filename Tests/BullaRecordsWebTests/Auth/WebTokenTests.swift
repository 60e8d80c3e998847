import BullaCipher
import BullaMemory
import BullaRecords
import BullaRecordsWeb
import Testing

@Suite("Tokens of users")
struct WebTokenTests {
    @Test("A token is read as it was written, and has one hash")
    func roundTrip() throws {
        let token = try WebToken(SessionKey.random())
        let text = token.text()
        #expect(text.utf8.count == 64)
        let plain = text.utf8.allSatisfy { byte in
            Array("-_".utf8).contains(byte) || (48...57).contains(byte)
                || (97...122).contains(byte | 0x20)
        }
        #expect(plain)
        guard let read = try WebToken(text) else {
            Issue.record("the text is a token")
            return
        }
        #expect(read.session.identifier == token.session.identifier)
        #expect(read.text() == text)
        let same = try read.session.hash().equals(token.session.hash())
        #expect(same)
    }

    @Test("Two tokens have nothing in common, and a changed one has another hash")
    func different() throws {
        let token = try WebToken(SessionKey.random())
        let other = try WebToken(SessionKey.random())
        #expect(token.session.identifier != other.session.identifier)
        let hashesDiffer = try !token.session.hash().equals(other.session.hash())
        #expect(hashesDiffer)
        var letters = Array(token.text())
        for place in letters.indices {
            let former = letters[place]
            letters[place] = former == "A" ? "B" : "A"
            guard let changed = try WebToken(String(letters)) else {
                Issue.record("any 64 letters are a token")
                return
            }
            let differs = try !changed.session.hash().equals(token.session.hash())
            #expect(differs)
            letters[place] = former
        }
    }

    @Test(
        "What is no token is none",
        arguments: [
            "", "A", String(repeating: "A", count: 63), String(repeating: "A", count: 65),
            String(repeating: "A", count: 68), String(repeating: "+", count: 64),
            String(repeating: "A", count: 62) + "==", String(repeating: "A", count: 1 << 20),
        ])
    func none(text: String) throws {
        let isToken = try WebToken(text) != nil
        #expect(!isToken)
    }
}

internal import BullaPeer

PeerProgram.run("bulla-peer-sqlcipher") { try SQLEngine($0) }

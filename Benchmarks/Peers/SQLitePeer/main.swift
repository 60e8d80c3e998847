internal import BullaPeer

PeerProgram.run("bulla-peer-sqlite") { try SQLEngine($0) }

internal import BullaPeer

PeerProgram.run("bulla-peer-lmdb") { try LMDBEngine($0) }

internal import BullaObjectPeer

ObjectLoop.run("bulla-bare-grdb") { setup in
    let store = try BareGRDB(setup)
    return (store.obey, store.close)
}

/// A plain store that behaves as a check of the instrument needs it.
package final class ModelEngine: Engine {
    private let store: BullaEngine
    private let behaviour: ModelBehaviour

    package init(_ setup: EngineSetup, _ behaviour: ModelBehaviour) throws {
        store = try BullaEngine(setup)
        self.behaviour = behaviour
    }

    package var facts: EngineFacts {
        get throws {
            var facts = try store.facts
            facts.engine = "a model"
            return facts
        }
    }

    package var counters: EngineCounters { get throws { try store.counters } }

    package func session() throws -> any EngineSession {
        ModelSession(try store.session(), behaviour)
    }

    package func close() throws {
        try store.close()
    }
}

import CaptureStore
import PostgresCaptureStore

/// Takes the schema's steps; each may take hours, and those before a failed one stay taken.
struct MigrationSteps: Sendable {
    let migrator: Migrator

    init(_ migrator: Migrator) { self.migrator = migrator }

    /// Takes the steps up to this release's version, and reports each on the error stream.
    func up() async throws(StoreError) -> [Migrator.Step] {
        try await migrator.up { tell($0, $1) }
    }

    /// Takes the steps down to a version, and reports each on the error stream.
    func down(to target: Int) async throws(StoreError) -> [Migrator.Step] {
        try await migrator.down(to: target) { tell($0, $1) }
    }

    private func tell(_ step: Migrator.Step, _ moment: Migrator.Step.Moment) {
        switch moment {
        case .begins: standardError("capturectl: schema: \(step) begins\n")
        case .ended: standardError("capturectl: schema: \(step) is done\n")
        }
    }
}

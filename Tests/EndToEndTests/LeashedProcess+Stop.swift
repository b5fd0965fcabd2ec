import Foundation
import TestSupport
import Testing

extension LeashedProcess {
    /// Asks the program to stop, and expects that it ends well.
    func expectStop(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        signal(SIGTERM)
        #expect(try await exitCode() == 0, sourceLocation: sourceLocation)
    }
}

import ArgumentParser
import CaptureModel
import CaptureOperations
import CaptureStore
import Evidence
import GatewayClient

/// `capturectl captures evidence`.
struct CapturesEvidenceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "evidence",
        abstract: "Prints a settled capture's signature, key and record as JSON, for others to verify.",
        discussion: """
            The metadata are part of it, and may tell where the photo was taken. `capturectl evidence verify` verifies \
            it; it takes photo and depth map besides.

            Examples:
              capturectl captures evidence 0197f3a2-7f3e-7a41-8c55-0d6c3c1f9e21 \\
                  > evidence.json

            \(CommandEnd.help)
            """
    )

    @OptionGroup var argument: CaptureArgument
    @OptionGroup var options: OperatorOptions

    func run() async throws {
        let id = argument.id
        try await OperatorSession.run(options, checksInstallation: false) { session in
            guard let recorded = try await session.store.evidence(of: id) else {
                let reason = try await session.reasonWithoutResult(of: id)
                standardError("capturectl: no result of a capture \(id)\(reason)\n")
                return false
            }
            try printAnswer(JSONText.write(CaptureEvidence(recorded)))
            return true
        }
    }
}

package import CaptureModel

/// The installation that a bundle directory belongs to, as its mark says.
///
/// The mark is a file of two lines: the version of the layout, `1`, and the id of the installation.
package enum BundleMark: Sendable, Equatable {
    /// It is this installation's.
    case of(InstallationID)
    /// Written by a later release, or no mark of ours.
    case illegible

    /// More than any mark has.
    static let bytesMax = 256

    private static let layout = "1"

    /// Reads a mark; `nil` if it is empty, as it is if the machine went down while it was written.
    init?(text: String) {
        let lines = text.split(separator: "\n")
        guard !lines.isEmpty else { return nil }
        self = .illegible
        guard lines.count == 2, lines[0] == Self.layout, let owner = InstallationID(lines[1]) else { return }
        self = .of(owner)
    }

    /// What the mark of an installation says.
    static func text(of installation: InstallationID) -> String { "\(layout)\n\(installation)\n" }

    /// Why a directory with this mark does not belong to a record; `nil` if it does.
    /// - Parameter record: The record's installation.
    package func objection(from record: InstallationID) -> String? {
        switch self {
        case .of(let owner) where owner == record: nil
        case .of(let owner):
            "bundles.directory is that of the installation \(owner), and postgres.url the record of \(record): "
                + "README, \"What belongs together\""
        case .illegible: "the mark of bundles.directory, \(BundleDirectory.mark), is of no release that is known here"
        }
    }
}

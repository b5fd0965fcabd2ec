package import CaptureModel

/// The installation that a bundle directory belongs to, as its mark says.
///
/// The mark is a file of one line or two: the version of the layout, `1`, and the id of the installation.
package enum BundleMark: Sendable, Equatable {
    /// No id: it was prepared by a release that wrote none.
    case unowned
    /// It is this installation's.
    case of(InstallationID)
    /// Written by a later release, or no mark of ours.
    case illegible

    /// More than any mark has.
    static let bytesMax = 256

    private static let layout = "1"

    init(text: String) {
        let lines = text.split(separator: "\n")
        switch lines.count {
        // Empty if the disk was full, or the machine went down, while it was written.
        case 0: self = .unowned
        case 1 where lines[0] == Self.layout: self = .unowned
        case 2 where lines[0] == Self.layout:
            self = InstallationID(lines[1]).map { BundleMark.of($0) } ?? .illegible
        default: self = .illegible
        }
    }

    var text: String {
        switch self {
        case .of(let installation): "\(Self.layout)\n\(installation)\n"
        case .unowned, .illegible: "\(Self.layout)\n"
        }
    }

    /// Why a directory with this mark does not belong to a record; `nil` if it does, or if the mark names no owner.
    /// - Parameter record: The record's installation.
    package func objection(from record: InstallationID) -> String? {
        switch self {
        case .unowned: nil
        case .of(let owner) where owner == record: nil
        case .of(let owner):
            "bundles.directory is that of the installation \(owner), and postgres.url the record of \(record): "
                + "README, \"What belongs together\""
        case .illegible: "the mark of bundles.directory, \(BundleDirectory.mark), is of no release that is known here"
        }
    }
}

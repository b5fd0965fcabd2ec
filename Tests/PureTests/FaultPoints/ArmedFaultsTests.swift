import CaptureModel
import FaultPoints
import Foundation
import TestSupport
import Testing

@Suite("Armed faults")
struct ArmedFaultsTests {
    private static let capture = "0192f1c0-0000-7000-8000-000000000001"

    private func faults(_ environment: [String: String]) throws(ArmedFaults.Unknown) -> ArmedFaults {
        try ArmedFaults(environment: environment)
    }

    @Test func `without the variables nothing is armed, and every point is passed`() throws {
        let faults = try faults(["PATH": "/bin"])
        #expect(faults.summary == nil)
        for point in FaultPoint.allCases { faults.reach(point) }
    }

    @Test(arguments: FaultPoint.allCases)
    func `a point that is armed is told, and every other one is passed`(point: FaultPoint) throws {
        let faults = try faults([ArmedFaults.Variable.point: point.rawValue])
        #expect(faults.summary == "killed at \(point.rawValue)")
        for other in FaultPoint.allCases where other != point { faults.reach(other) }
    }

    @Test func `the process is killed the third time if so asked, and not before`() async {
        await #expect(processExitsWith: .signal(SIGKILL)) {
            let faults = try ArmedFaults(environment: [ArmedFaults.Variable.point: "after-claim:3"])
            faults.reach(.afterClaim)
            faults.reach(.afterClaim)
            print("still here")
            faults.reach(.afterClaim)
        }
    }

    @Test func `a poisoned capture crashes the process, and no other does`() async {
        await #expect(processExitsWith: .signal(SIGABRT)) {
            let capture = "0192f1c0-0000-7000-8000-000000000001"
            let faults = try ArmedFaults(environment: [ArmedFaults.Variable.poison: "\(capture)=crash"])
            var maker = SubmissionMaker(seed: 1)
            faults.beginVerifying(maker.submission(of: maker.device()).id)
            faults.beginVerifying(try #require(CaptureID(capture)))
        }
    }

    @Test(arguments: [
        "", "nowhere", "after-claim:", "after-claim:0", "after-claim:-1", "after-claim:1:2", "AFTER-CLAIM",
    ])
    func `a point that there is not is refused`(text: String) {
        #expect(throws: ArmedFaults.Unknown.self) { try faults([ArmedFaults.Variable.point: text]) }
    }

    @Test(arguments: ["x=crash", "\(capture)", "\(capture)=", "\(capture)=tickle", "\(capture)=crash,x"])
    func `a poison that there is not is refused`(text: String) {
        #expect(throws: ArmedFaults.Unknown.self) { try faults([ArmedFaults.Variable.poison: text]) }
    }
}

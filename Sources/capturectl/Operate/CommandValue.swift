import ArgumentParser
import CaptureModel
import Enrolment

/// Parses values of the command line; the errors say what is wrong, the parser says with which value.
enum CommandValue {
    static func captureID(_ text: String) throws -> CaptureID {
        guard let id = CaptureID(text) else { throw ValidationError("not a capture's id") }
        return id
    }

    static func deviceID(_ text: String) throws -> DeviceID {
        guard let id = DeviceID(text) else { throw ValidationError("not a device's id") }
        return id
    }

    static func invitationID(_ text: String) throws -> InvitationID {
        guard let id = InvitationID(text) else { throw ValidationError("not an invitation's id") }
        return id
    }

    static func time(_ text: String) throws -> Timestamp {
        guard let time = Timestamp(rfc3339: text) else {
            throw ValidationError("not a time such as 2026-04-21T18:13:12Z")
        }
        return time
    }

    static func pastTime(_ text: String) throws -> Timestamp {
        let time = try time(text)
        guard time <= Timestamp.systemTime() else { throw ValidationError("lies in the future") }
        return time
    }
}

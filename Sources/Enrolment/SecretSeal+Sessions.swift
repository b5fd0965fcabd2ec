package import CaptureModel
import Crypto
import FoundationEssentials

extension SecretSeal {
    /// The ids of the session that an invitation opens for a device, one by each key, the first key's first.
    ///
    /// They are the same at every call and every gateway, so that a device that missed the answer finds its session
    /// again. Each is HMAC-SHA256 (RFC 2104) over code and device: nobody can compute it without the keys, even knowing
    /// both.
    package func sessions(of code: InvitationCode, for device: DeviceID) -> [EnrolmentID] {
        let subject = Array("\(code)|\(device)".utf8)
        return sessionKeys.map { key in
            var bytes = Array(HMAC<SHA256>.authenticationCode(for: subject, using: key).prefix(16))
            // Version 4 and the variant, as in any other id (RFC 9562 section 5.4).
            bytes[6] = bytes[6] & 0x0F | 0x40
            bytes[8] = bytes[8] & 0x3F | 0x80
            return EnrolmentID(
                UUID(
                    uuid: (
                        bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7],
                        bytes[8], bytes[9], bytes[10], bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]
                    )))
        }
    }
}

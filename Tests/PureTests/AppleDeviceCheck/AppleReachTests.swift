import AppleDeviceCheck
import CaptureModel
import Testing

@Suite struct `Whether Apple is reached` {
    @Test func `whether Apple is reached is told when it changes, and not again`() {
        let reach = AppleReach()
        let told = [true, false, false, true, true, false].map { reach.note(isReached: $0, in: .production) }
        #expect(told == [nil, .lost, nil, .back, nil, .lost])
    }

    @Test func `whether Apple is reached in one environment says nothing of the other`() {
        let reach = AppleReach()
        let told = [false, true, false, true].map { reach.note(isReached: $0, in: $0 ? .production : .development) }
        #expect(told == [.lost, nil, nil, nil])
        #expect(reach.note(isReached: false, in: .production) == .lost)
        #expect(reach.note(isReached: true, in: .development) == .back)
    }

    @Test func `what else is at fault with Apple is told in words, where there are any`() {
        let faults: [DeviceCheckFault] = [
            .request("no bits"), .unreachable("connect timeout"), .overloaded(status: 503), .unexpected(status: 418),
            .token, .unauthorized,
        ]
        #expect(faults.map(\.detail) == ["no bits", "connect timeout", "status 503", "status 418", nil, nil])
    }
}

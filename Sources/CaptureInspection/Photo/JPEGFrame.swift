/// The frame header of a JPEG: dimensions and components (ITU T.81 section B.2.2).
struct JPEGFrame {
    struct Component {
        let identifier: UInt8
        let horizontal: Int
        let vertical: Int
        let quantizationTable: Int

        /// How many 8×8 blocks it has in one unit of an interleaved scan (section A.2.3).
        var blocksPerUnit: Int { horizontal * vertical }
    }

    let process: JPEGStructure.Process
    let precision: Int
    let width: Int
    let height: Int
    let components: [Component]
    private let horizontalMax: Int
    private let verticalMax: Int

    /// Reads the payload of SOF0, SOF1 or SOF2.
    init(_ marker: JPEGMarker, _ photo: Span<UInt8>, _ payload: Range<Int>) throws(JPEGError) {
        let start = payload.lowerBound
        func malformed(_ message: String) -> JPEGError { JPEGError(.malformed, at: start, message) }

        guard payload.count >= 6 else { throw malformed("the frame header is too short") }
        process = marker.rawValue == 0xC2 ? .progressive : .sequential
        precision = Int(photo[start])
        height = photo.bigEndian16(at: start + 1)
        width = photo.bigEndian16(at: start + 3)
        let count = Int(photo[start + 5])
        guard precision == 8 || precision == 12 && marker.rawValue != 0xC0 else {
            throw malformed("the sample precision is not allowed")
        }
        // A height of 0 means that DNL gives it later; no camera does that, and decoders disagree on it.
        guard width > 0, height > 0 else { throw malformed("the picture has no pixels") }
        guard [1, 3, 4].contains(count), payload.count == 6 + 3 * count else {
            throw malformed("the number of components does not fit")
        }
        var components: [Component] = []
        var (horizontalMax, verticalMax) = (1, 1)
        for index in 0..<count {
            let place = start + 6 + 3 * index
            let component = Component(
                identifier: photo[place], horizontal: Int(photo[place + 1] >> 4),
                vertical: Int(photo[place + 1] & 15), quantizationTable: Int(photo[place + 2])
            )
            guard (1...4).contains(component.horizontal), (1...4).contains(component.vertical),
                component.quantizationTable < 4,
                !components.contains(where: { $0.identifier == component.identifier })
            else { throw malformed("a component's parameters are not allowed") }
            components.append(component)
            horizontalMax = max(horizontalMax, component.horizontal)
            verticalMax = max(verticalMax, component.vertical)
        }
        self.components = components
        (self.horizontalMax, self.verticalMax) = (horizontalMax, verticalMax)
    }

    /// How many 8×8 blocks a component has (ITU T.81 section A.1.1).
    func blocks(of component: Component) -> Int {
        let columns = (width * component.horizontal + horizontalMax - 1) / horizontalMax
        let lines = (height * component.vertical + verticalMax - 1) / verticalMax
        return ((columns + 7) / 8) * ((lines + 7) / 8)
    }
}

/// Reads what follows a photo's end of image: declared pictures, a little padding, or foreign data.
struct TrailingDataReader {
    let limits: JPEGLimits

    /// Reads from the end of image to the end of the file.
    ///
    /// A declared picture counts only when it is a whole JPEG within the limits; otherwise anything could be declared.
    /// Zero bytes count as padding up to the limit.
    ///
    /// Markup is searched for where somebody could have put it: in foreign data and in the metadata of the pictures.
    /// The entropy-coded data of a depth map or gain map contain `<svg>` by chance once in tens of thousands of photos.
    func read(
        _ photo: Span<UInt8>, from start: Int, declared: MultiPictureIndex?
    ) -> (trailing: JPEGTrailingData, polyglot: PolyglotMarks) {
        var position = start
        var padding = 0
        var foreign = 0
        var polyglot: PolyglotMarks = []
        func skipGap(to end: Int) {
            guard position < end else { return }
            if photo.isZero(position..<end) {
                padding += end - position
            } else {
                foreign += end - position
                if PolyglotMarks.hasMarkup(photo, in: position..<end) { polyglot.insert(.markup) }
            }
            position = end
        }
        for declared in (declared?.images ?? []).sorted(by: { $0.lowerBound < $1.lowerBound })
        where position..<photo.count ~= declared.lowerBound {
            // Some writers get the last picture's size wrong; the picture then ends with the file.
            let image = declared.clamped(to: 0..<photo.count)
            // Everything after a false declaration is foreign; so no byte is walked over more than twice.
            guard let marks = marks(ofWhole: image, in: photo) else { break }
            polyglot.formUnion(marks)
            skipGap(to: image.lowerBound)
            position = image.upperBound
        }
        skipGap(to: photo.count)
        if padding > limits.paddingBytesMax { foreign += padding }
        return (JPEGTrailingData(bytes: photo.count - start, foreignBytes: foreign), polyglot)
    }

    /// The marks of the picture that fills a range, apart from zero bytes at its end; `nil` when there is none.
    private func marks(ofWhole range: Range<Int>, in photo: Span<UInt8>) -> PolyglotMarks? {
        let image = photo.extracting(range)
        var walk = JPEGWalk(limits: limits, start: 0)
        do throws(JPEGError) {
            try walk.run(image)
        } catch {
            // Not a picture: the caller counts its bytes as foreign.
            return nil
        }
        let isWhole =
            image.count - walk.position <= limits.paddingBytesMax && image.isZero(walk.position..<image.count)
        return isWhole ? walk.polyglot : nil
    }
}

import CaptureModel
import HTML

/// The photo and the depth map of a capture, or why they are not there.
extension CapturePage {
    func pictures(_ shell: Shell) -> Markup {
        switch remains {
        case .gone:
            without("gone", "its bytes are not kept any more.", DeadPage.goneHint)
        case .notFound:
            without("not found", "a worker did not find its bytes.", DeadPage.notFoundHint)
        case .changed:
            without(
                "changed", "when a worker last read its bytes, they were not those that were accepted.",
                letter == nil ? Self.changedHint : DeadPage.changedHint)
        case .nothing, .kept: figures(shell)
        }
    }

    /// What is said of one that still waits, where its bytes are not those that were accepted.
    private static var changedHint: Markup {
        Markup.p("class" => "hint") {
            "Only the same upload, sent once more, replaces them. Without it the capture is given up after its last attempt."
        }
    }

    /// What stands in place of the pictures, and what helps.
    private func without(_ word: String, _ words: String, _ hint: Markup) -> Markup {
        .joined([
            Markup.p {
                Markup.span("class" => "bad") { word }
                ": \(words)"
            },
            hint,
        ])
    }

    /// The photo is the file as it was uploaded, with everything that a camera writes into it.
    private func figures(_ shell: Shell) -> Markup {
        Markup.div("class" => "pictures") {
            if shell.user.isOperator {
                Markup.figure {
                    Markup.img(
                        "src" => Page.photo.address(status.captureID), "alt" => "The photo as uploaded")
                    Markup.figcaption { "Photo as uploaded" }
                }
            } else {
                Markup.p("class" => "lead") { "The photo is for operators only: it may tell where it was taken." }
            }
            Markup.figure {
                Markup.img(
                    "src" => Page.depth.address(status.captureID), "class" => "depth",
                    "alt" => "The depth map: near is bright, far is dark, not measured is grey")
                Markup.figcaption { "Depth: near is bright, far is dark" }
            }
        }
    }
}

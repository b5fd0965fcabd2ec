import CaptureQueue
import HTML

/// What keeps captures from coming in or being verified, above all numbers.
extension OverviewPage {
    @MarkupBuilder var warnings: Markup {
        Shell.announced {
            Markup.div("id" => "servers-live", "class" => "live-part") {
                if isRecordAway {
                    Markup.p("class" => "notice warn") {
                        "PostgreSQL is away: uploads are refused, and nothing is verified until it is back."
                    }
                }
                if areBundlesAway {
                    Markup.p("class" => "notice warn") {
                        "The bundle directory is away: this gateway refuses uploads until it is back."
                    }
                }
            }
        }
        // In words as well: the colour of a number tells it to some only, and is not read aloud.
        Shell.announced {
            Markup.div("id" => "workers-live", "class" => "live-part") {
                if !overview.workers.contains(where: \.isAlive) {
                    Markup.p("class" => "notice warn") { "No worker is alive: nothing is verified until one is." }
                }
            }
        }
    }
}

/// The functions of the library by their names in Redis; what each takes and answers is said where it is written.
enum QueueFunction: String, CaseIterable {
    // Requests.
    case enqueue = "capture_enqueue_v1"
    case forget = "capture_forget_v1"
    case admit = "capture_admit_v1"
    case admitLogin = "capture_admit_login_v1"
    case session = "capture_session_v1"

    // Workers.
    case claim = "capture_claim_v1"
    case renew = "capture_renew_v1"
    case takeover = "capture_takeover_v1"
    case promote = "capture_promote_v1"
    case settle = "capture_settle_v1"
    case surrender = "capture_surrender_v1"
    case join = "capture_join_v1"
    case leave = "capture_leave_v1"
    case present = "capture_present_v1"

    // Captures that Redis has lost.
    case restoration = "capture_restoration_v1"
    case restore = "capture_restore_v1"

    // Operators.
    case load = "capture_load_v1"
    case workers = "capture_workers_v1"
    case pause = "capture_pause_v1"
    case dead = "capture_dead_v1"
    case deadLetter = "capture_dead_letter_v1"
    case redrive = "capture_redrive_v1"
    case redriveAsAccepted = "capture_redrive_as_accepted_v1"
    case discard = "capture_discard_v1"
    case version = "capture_version_v1"

    // The doctor.
    case examineBundle = "capture_examine_bundle_v1"
    case examineCapture = "capture_examine_capture_v1"
    case examineHeads = "capture_examine_heads_v1"
    case examineLane = "capture_examine_lane_v1"
    case examineLaneBytes = "capture_examine_lane_bytes_v1"
    case examineLaneCaptures = "capture_examine_lane_captures_v1"
    case examineTokens = "capture_examine_tokens_v1"
    case mendBundle = "capture_mend_bundle_v1"
    case mendCapture = "capture_mend_capture_v1"
    case mendHeads = "capture_mend_heads_v1"
    case mendLane = "capture_mend_lane_v1"
    case mendLaneBytes = "capture_mend_lane_bytes_v1"
    case mendStrayEntry = "capture_mend_stray_entry_v1"
    case mendTokens = "capture_mend_tokens_v1"
    case recount = "capture_recount_v1"
}

/// What the latest migration's schema has: `trigger audit_kept of audit`, `function capture_settle_v1`.
///
/// The parts of a table are its columns, constraints, indexes and triggers.
///
/// A migration that adds or drops one must change this list; a test compares it with a migrated database.
enum SchemaParts {
    static let all = named("function", functions) + named("view", "known_devices_v1") + tables.flatMap { $0 }

    private static let functions = """
        assertion_counter attestations_keep_time attested_apps_keep attested_apps_v1 capture_intake_v1 \
        capture_settle_v1 counters_refuse_decrease devices_refuse_change devices_refuse_root enrolments_end \
        enrolments_refuse_step installation_renew_v1 intake_close refuse_change refuse_chosen_id risks_keep_time
        """

    private static let tables: [[String]] = [
        table(
            "attestations",
            columns: """
                attestation_object attested_at bundle_version certificate_chain client_data_hash device_id id kept_at \
                model os_version receipt trust_root validation_category
                """,
            constraints: """
                attestations_device_id_fkey attestations_lengths attestations_moments attestations_pkey
                """,
            indexes: "attestations_by_device attestations_by_system",
            triggers: """
                attestations_id_given attestations_keep_app attestations_kept attestations_not_emptied attestations_timed
                """),
        table(
            "attested_apps",
            columns: "bundle_version device_id validation_category",
            constraints: "attested_apps_bundle_version_check attested_apps_device_id_fkey attested_apps_once",
            triggers: "attested_apps_kept attested_apps_not_emptied"),
        table(
            "audit",
            columns: "action actor at details id subject",
            constraints: "audit_details_check audit_lengths audit_moments audit_pkey audit_places",
            indexes: "audit_by_subject",
            triggers: "audit_id_given audit_kept audit_not_emptied"),
        table(
            "captures",
            columns: """
                app_id assertion attempts binding captured_at checks client_data_hash confidence counter \
                counter_highest counter_policy depth_bytes depth_digest device_id environment id key_id level \
                metadata metadata_digest photo_bytes photo_digest processor_version reason received_at redriven \
                settled_at trust_root verdict verified_at
                """,
            constraints: """
                captures_attempts_check captures_checks_check captures_client_data_hash_check \
                captures_confidence_check captures_counter_check captures_counter_highest captures_depth_bytes_check \
                captures_depth_digest_check captures_key_id_check captures_lengths captures_level_check \
                captures_metadata_digest_check captures_moments captures_photo_bytes_check captures_photo_digest_check \
                captures_pkey captures_rejected captures_unattested captures_verdict_check captures_verified
                """,
            indexes: """
                captures_by_confidence captures_by_device captures_by_reason captures_counter_used \
                captures_of_device_by_reason captures_of_photo
                """,
            triggers: "captures_close_intake captures_kept captures_not_emptied"),
        table(
            "counters",
            columns: "capture_highest key_id last_seen request_highest",
            constraints: """
                counters_capture_highest_check counters_key_id_check counters_pkey counters_request_highest_check
                """,
            triggers: "counters_increase counters_not_deleted"),
        table(
            "device_checks",
            columns: "bit0 bit1 checked_at device_id last_update reason standing",
            constraints: """
                device_checks_device_id_fkey device_checks_last_update_check device_checks_pkey device_checks_set \
                device_checks_standing_check device_checks_unknown
                """),
        table(
            "devices",
            columns: """
                algorithm app_id attestation_object bundle_version certificate_chain client_data_hash compromised_by \
                compromised_reason compromised_since environment has_lidar id key_id level model os_version platform \
                public_key receipt registered_at revoked_at revoked_by revoked_reason superseded_at superseded_by \
                superseded_highest trust_root unverified_reason validation_category
                """,
            constraints: """
                devices_algorithm_check devices_attested devices_check devices_compromised devices_environment_check \
                devices_key_id_fkey devices_level_check devices_pkey devices_revoked devices_superseded \
                devices_superseded_by_fkey devices_superseded_highest_check devices_unverified
                """,
            indexes: "devices_ended devices_key_in_force devices_newest_first devices_of_key",
            triggers: """
                devices_compromise_kept devices_kept devices_lengths devices_moments devices_not_deleted \
                devices_registered devices_revocation_kept devices_root_kept
                """),
        table(
            "enrolments",
            columns: """
                challenge created_at credential_digest device_id device_key enrolled_at expires_at id invitation_id \
                package password_hash session_digest state token_digest user_guid
                """,
            constraints: """
                enrolments_challenge enrolments_challenge_check enrolments_check enrolments_credential_digest_check \
                enrolments_device_key_check enrolments_enrolled enrolments_invitation_id_fkey \
                enrolments_invitation_id_key enrolments_moments enrolments_password enrolments_password_hash_check \
                enrolments_pkey enrolments_session_digest_check enrolments_session_digest_key enrolments_state_check \
                enrolments_token_digest_check enrolments_token_digest_key enrolments_user_guid_key
                """,
            indexes: "enrolments_packages enrolments_unfinished",
            triggers: """
                enrolments_begun enrolments_end_invitation enrolments_in_order enrolments_kept enrolments_not_deleted \
                enrolments_not_emptied
                """),
        table(
            "installation",
            columns: "id is_only made_at",
            constraints: "installation_is_only_check installation_pkey",
            triggers: "installation_kept installation_not_deleted installation_not_emptied"),
        table(
            "intake",
            columns: """
                assertion binding bundle_digest bundle_store buried_at capture_id claimed_at closed_at depth_bytes \
                depth_digest device_id metadata photo_bytes photo_digest place received_at recorded_at traceparent
                """,
            constraints: """
                intake_bundle_digest_check intake_depth_bytes_check intake_depth_digest_check intake_photo_bytes_check \
                intake_photo_digest_check intake_pkey
                """,
            indexes: "intake_bundle intake_closed intake_open intake_open_newest intake_open_of_device"),
        table(
            "invitations",
            columns: "code_digest created_at created_by expires_at id note revoked_at used_at",
            constraints: """
                invitations_check invitations_code_digest_check invitations_code_digest_key invitations_end \
                invitations_lengths invitations_moments invitations_pkey
                """,
            indexes: "invitations_newest_first invitations_unused",
            triggers: "invitations_begun invitations_kept"),
        table(
            "receipts",
            columns: """
                asked_at attempts claim client_data_hash device_id next_at not_before outcome reason receipt \
                received_at risk_metric risk_metric_at
                """,
            constraints: """
                receipts_attempts_check receipts_device_id_fkey receipts_pkey receipts_receipt_check receipts_risk \
                receipts_risk_metric_check
                """,
            indexes: "receipts_due"),
        table(
            "risks",
            columns: "device_id metric metric_at noted_at",
            constraints: "risks_device_id_fkey risks_metric_check risks_pkey",
            triggers: "risks_kept risks_not_emptied risks_timed"),
        table(
            "schema_migrations",
            columns: "applied_at checksum name version",
            constraints: "schema_migrations_pkey schema_migrations_version_check"),
        table(
            "transaction_keys",
            columns: "enrolment_id id place private_key public_key used_at",
            constraints: """
                transaction_keys_enrolment_id_fkey transaction_keys_enrolment_id_place_key transaction_keys_pkey \
                transaction_keys_place_check transaction_keys_public_key_check transaction_keys_public_key_key \
                transaction_keys_used
                """),
    ]

    /// The parts of a table; an index that belongs to a constraint is not named again.
    private static func table(
        _ name: String, columns: String, constraints: String, indexes: String = "", triggers: String = ""
    ) -> [String] {
        let kinds = [("column", columns), ("constraint", constraints), ("index", indexes), ("trigger", triggers)]
        return kinds.flatMap { kind, names in named(kind, names).map { "\($0) of \(name)" } }
    }

    private static func named(_ kind: String, _ names: String) -> [String] {
        names.split(separator: " ").map { "\(kind) \($0)" }
    }
}

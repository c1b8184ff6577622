import EventModel
import Testing

@testable import Ingest

/// Tests each rule for the kinds that names stand for on one name or more.
@Suite struct KindWordsTests {
  @Test(
    arguments: [
      ("paywall_viewed", .paywallImpression), ("Saw Paywall", .paywallImpression), ("Upsell Shown", .paywallImpression),
      ("offer displayed", .paywallImpression),
      ("upgradeOpened", .paywallImpression), ("paywall impression", .paywallImpression),
      ("paywall_presented", .paywallImpression), ("Paywall Appeared", .paywallImpression),
      ("paywall_closed", .paywallDismissal), ("upsell hidden", .paywallDismissal),
      ("offer_declined", .paywallDismissal), ("Paywall Dismissed", .paywallDismissal),
      ("paywall skip", .paywallDismissal),
      ("checkout_started", .purchaseStarted), ("transaction_start", .purchaseStarted), ("trigger_fire", .exposure),
      ("pw_seen", .paywallImpression), ("sub_trialing", .trialStart), ("invoice_paid", .payment),
      ("invoice_payment_failed", .billingIssue), ("charge_succeeded", .payment),
      ("purchase tapped", .purchaseStarted), ("buy_begin", .purchaseStarted),
      ("trial_started", .trialStart), ("Trial Begin", .trialStart), ("trial activated", .trialStart),
      ("trial_converted", .conversion), ("subscription_cancelled", .cancellation), ("auto-renew off", .cancellation),
      ("unsubscribed", .cancellation), ("trial cancelled", .cancellation), ("reactivated", .reactivation),
      ("auto_renew_on", .reactivation), ("uncancelled", .reactivation), ("subscription resumed", .reactivation),
      ("RENEWAL", .renewal), ("sub_renewed", .renewal), ("rebill", .renewal), ("recurring payment", .renewal),
      ("subscription_started", .conversion), ("first_purchase", .conversion), ("new subscription", .conversion),
      ("af_subscribe", .conversion), ("af_start_trial", .trialStart),
      ("subscribe", .conversion), ("subscribed", .conversion), ("refunded", .refund), ("money back", .refund),
      ("chargeback", .refund), ("subscription_expired", .expiration), ("trial_ended", .expiration),
      ("churned", .expiration), ("upgraded_to_paid", .conversion), ("turned_off_autorenew", .cancellation),
      ("transaction", .payment), ("cancelled", .cancellation), ("buy", .payment),
      ("payment_failed", .billingIssue), ("billing issue", .billingIssue), ("charge_retry", .billingIssue),
      ("limit_reached", .gateHit), ("feature locked", .gateHit), ("experiment_assigned", .exposure),
      ("$feature_flag_called", .exposure), ("exposed", .exposure), ("$identify", .identify), ("login", .identify),
      ("app_open", .activity), ("session_start", .activity), ("App Launched", .activity), ("Session", .activity),
      ("foreground", .activity), ("gate_hit", .gateHit), ("Paywall angezeigt", .paywallImpression),
      ("Testphase gestartet", .trialStart), ("Abo abgeschlossen", .payment), ("Abo verlängert", .renewal),
      ("Kündigung", .cancellation), ("Rückerstattung", .refund), ("App geöffnet", .activity),
      ("Zahlung abgelehnt", .billingIssue), ("Essai gratuit commencé", .trialStart),
      ("Abonnement résilié", .cancellation),
      ("Remboursement", .refund), ("Pantalla de pago vista", .paywallImpression), ("Suscripción iniciada", .conversion),
      ("Suscripción renovada", .renewal), ("Reembolso", .refund), ("INITIAL_BUY", .conversion),
      ("Erste Zahlung", .conversion), ("Bezahlseite angezeigt", .paywallImpression),
      ("Probezeitraum gestartet", .trialStart), ("Abo ausgelaufen", .expiration), ("Gutschrift", .refund),
      ("Rechnung", .payment), ("Écran d'abonnement affiché", .paywallImpression),
      ("Écran d'abonnement fermé", .paywallDismissal), ("muro de pago visto", .paywallImpression),
      ("suscripción activada", .conversion), ("Tela de assinatura exibida", .paywallImpression),
      ("Teste grátis iniciado", .trialStart), ("Assinatura paga", .payment), ("課金画面表示", .paywallImpression),
      ("課金画面を閉じる", .paywallDismissal), ("無料体験開始", .trialStart), ("購入完了", .payment), ("自動更新", .renewal),
      ("解約", .cancellation), ("期限切れ", .expiration), ("返金", .refund), ("アプリ起動", .activity),
    ] as [(String, EventKind)])
  func kinds(name: String, kind: EventKind) {
    #expect(KindWords.meaning(of: name) == .kind(kind))
  }

  @Test(arguments: [
    "screen_view", "Song Played", "button tapped", "settings opened", "cancel_subscription_tapped", "Renew Clicked",
    "refund_button_pressed", "start_trial_tapped", "Kauf fehlgeschlagen", "Échec de l'achat", "paywall_error_shown",
    "trial_start_requested", "trial_will_end", "trial_ending_soon", "renewal_upcoming",
    "subscription_started_email_sent",
    "DID_CHANGE_RENEWAL_STATUS", "purchase_pending",
  ])
  func otherNamesMeanNothing(name: String) { #expect(KindWords.meaning(of: name) == .none) }

  /// The words do not tell the first payment from later ones.
  @Test(arguments: [
    "order_completed", "payment succeeded", "PAYMENT_SUCCESS", "purchase", "in_app_purchase", "Subscription Purchased",
    "Bought Membership", "payment_intent.succeeded",
  ])
  func paymentsMayBeFirstOrLater(name: String) { #expect(KindWords.meaning(of: name) == .kind(.payment)) }

  /// Names of tables that hold events of one kind; others mean none.
  @Test(
    arguments: [
      ("trials", .trialStart), ("paywall_views", .paywallImpression), ("refunds_2026-03", .refund),
      ("unified_payments", .payment), ("cancellations", .cancellation), ("sessions", .activity), ("events", nil),
      ("subscriptions", nil), ("logins", nil),
    ] as [(String, EventKind?)])
  func tables(name: String, kind: EventKind?) { #expect(KindWords.tableKind(name) == kind) }

  /// Texts beside a payment that say which it is.
  @Test(
    arguments: [
      ("Subscription creation", .conversion), ("new", .conversion), ("renewal", .renewal), ("REFUND", .refund),
      ("Subscription update", nil), ("free_trial", nil),
    ] as [(String, EventKind?)])
  func payments(text: String, kind: EventKind?) { #expect(KindWords.paymentKind(of: text) == kind) }
}

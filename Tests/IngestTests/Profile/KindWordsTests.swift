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
      ("subscribe", .conversion), ("subscribed", .conversion), ("subscribe_monthly", .conversion),
      ("refunded", .refund), ("money back", .refund),
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

  /// Names of events in other languages and in other words, each with what its writer meant.
  @Test(
    arguments: [
      ("pantalla de suscripción mostrada", .paywallImpression),
      ("pantalla de suscripción cerrada", .paywallDismissal), ("periodo de prueba empezado", .trialStart),
      ("cobro recurrente", .renewal), ("renovación desactivada", .cancellation),
      ("suscripción finalizada", .expiration), ("devolución", .refund),
      ("Angebotsseite geöffnet", .paywallImpression), ("Angebotsseite verlassen", .paywallDismissal),
      ("Gratiswoche gestartet", .trialStart), ("Erstkauf", .conversion), ("Folgezahlung", .renewal),
      ("Verlängerung abgeschaltet", .cancellation), ("Zugang erloschen", .expiration), ("Geld zurück", .refund),
      ("offre vue", .paywallImpression), ("offre ignorée", .paywallDismissal), ("essai lancé", .trialStart),
      ("prélèvement récurrent", .renewal), ("renouvellement désactivé", .cancellation),
      ("accès terminé", .expiration), ("remboursé", .refund), ("ecrã de pagamento visto", .paywallImpression),
      ("ecrã de pagamento fechado", .paywallDismissal), ("período experimental iniciado", .trialStart),
      ("subscrição iniciada", .conversion), ("cobrança recorrente", .renewal),
      ("renovação desligada", .cancellation), ("subscrição terminada", .expiration), ("estorno", .refund),
      ("paywall visualizzato", .paywallImpression), ("paywall chiuso", .paywallDismissal),
      ("periodo di prova avviato", .trialStart), ("pagamento ricorrente", .renewal),
      ("rinnovo automatico disattivato", .cancellation), ("abbonamento terminato", .expiration),
      ("rimborso effettuato", .refund), ("aanbod bekeken", .paywallImpression),
      ("aanbod weggeklikt", .paywallDismissal), ("gratis proef begonnen", .trialStart),
      ("automatisch verlengd", .renewal), ("verlenging uitgezet", .cancellation),
      ("abonnement afgelopen", .expiration), ("geld teruggegeven", .refund),
      ("ekran subskrypcji wyświetlony", .paywallImpression), ("ekran subskrypcji zamknięty", .paywallDismissal),
      ("okres próbny rozpoczęty", .trialStart), ("subskrypcja odnowiona", .renewal),
      ("subskrypcja anulowana", .cancellation), ("subskrypcja wygasła", .expiration), ("zwrot pieniędzy", .refund),
      ("ödeme ekranı görüntülendi", .paywallImpression), ("ödeme ekranı kapatıldı", .paywallDismissal),
      ("deneme süresi başladı", .trialStart), ("abonelik yenilendi", .renewal),
      ("abonelik iptal edildi", .cancellation), ("abonelik sona erdi", .expiration), ("para iadesi", .refund),
      ("ペイウォール閲覧", .paywallImpression), ("ペイウォール閉じる", .paywallDismissal), ("トライアル開始", .trialStart),
      ("サブスク更新", .renewal), ("サブスク終了", .expiration), ("払い戻し", .refund), ("betalvägg visad", .paywallImpression),
      ("betalvägg stängd", .paywallDismissal), ("provperiod startad", .trialStart),
      ("prenumeration förnyad", .renewal), ("prenumeration avslutad", .cancellation),
      ("prenumeration utgången", .expiration), ("återbetalning", .refund), ("결제 화면 조회", .paywallImpression),
      ("결제 화면 닫기", .paywallDismissal), ("무료 체험 시작", .trialStart), ("구독 시작", .conversion), ("구독 갱신", .renewal),
      ("구독 취소", .cancellation), ("구독 만료", .expiration), ("환불", .refund), ("付费墙展示", .paywallImpression),
      ("付费墙关闭", .paywallDismissal), ("开始试用", .trialStart), ("续订", .renewal), ("取消订阅", .cancellation),
      ("订阅过期", .expiration), ("退款", .refund), ("PAYWALL_DISPLAYED", .paywallImpression),
      ("PAYWALL_ABANDONED", .paywallDismissal), ("FREE_TRIAL_ACTIVATED", .trialStart),
      ("AUTO_RENEWAL_OFF", .cancellation), ("Began free trial", .trialStart), ("Became subscriber", .conversion),
      ("Was charged again", .renewal), ("Turned off auto-renew", .cancellation), ("Lost access", .expiration),
      ("Got money back", .refund), ("premium_trial_start", .trialStart), ("premium_renew", .renewal),
      ("premium_cancel", .cancellation), ("premium_refund", .refund),
    ] as [(String, EventKind)])
  func foreignKinds(name: String, kind: EventKind) { #expect(KindWords.meaning(of: name) == .kind(kind), "\(name)") }

  @Test(arguments: [
    "screen_view", "Song Played", "button tapped", "settings opened", "cancel_subscription_tapped", "Renew Clicked",
    "refund_button_pressed", "start_trial_tapped", "Kauf fehlgeschlagen", "Échec de l'achat", "paywall_error_shown",
    "trial_start_requested", "trial_will_end", "trial_ending_soon", "renewal_upcoming",
    "subscription_started_email_sent",
    "DID_CHANGE_RENEWAL_STATUS", "purchase_pending", "payment_processing",
  ])
  func otherNamesMeanNothing(name: String) { #expect(KindWords.meaning(of: name) == .none) }

  /// The words do not tell the first payment from later ones.
  @Test(arguments: [
    "order_completed", "payment succeeded", "PAYMENT_SUCCESS", "purchase", "in_app_purchase", "Subscription Purchased",
    "Bought Membership", "payment_intent.succeeded", "compra realizada", "achat", "acquisto completato",
    "aankoop gedaan", "subskrypcja kupiona", "abonelik satın alındı", "サブスク購入", "prenumeration köpt", "购买成功",
    "PURCHASE_SUCCESSFUL", "premium_purchase", "payment_received", "purchase_yearly",
    "order placed",
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

import Testing

@testable import EventModel

/// The expected names are those of Events.md, in the order of its tables.
@Suite struct CaseNamesTests {
  @Test func fieldsHaveTheirNames() {
    let names = """
      event_id event ts app user_id received_at platform store country app_version environment properties entry_point \
      experiment variant paywall offering price_weekly price_monthly price_yearly price_lifetime tier product_id plan \
      price currency price_usd tax_percentage commission_percentage subscription_id subscription_started_at \
      transaction_id expires_at ownership offer_type offer_code limit_name limit used trial_days trial_ends_at \
      trial_kind previous_product_id reason grace_ends_at previous_user_id
      """
    #expect(EventField.allCases.map(\.name).joined(separator: " ") == names)
  }

  @Test func kindsHaveTheirNames() {
    let names = """
      exposure paywall_impression paywall_dismissal purchase_started gate_hit trial_start trial_nudge conversion renewal \
      payment plan_change restore offer_redemption cancellation reactivation billing_issue expiration refund activity \
      identify
      """
    #expect(EventKind.inOrder.map(\.name).joined(separator: " ") == names)
    #expect(EventKind.inOrder.allSatisfy { EventKind(name: $0.name) == $0 })
    #expect(EventKind(name: "Renewal") == nil)
  }

  @Test func plansHaveTheirNames() {
    let names = "weekly monthly two_month quarterly semiannual yearly lifetime"
    #expect(Plan.allCases.map(\.name).joined(separator: " ") == names)
    #expect(Plan.allCases.allSatisfy { Plan(name: $0.name) == $0 })
  }
}

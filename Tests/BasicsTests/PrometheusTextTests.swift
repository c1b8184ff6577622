import Basics
import Testing

@Suite struct PrometheusTextTests {
  /// Prometheus, "Exposition formats", text format 0.0.4: `\`, `"` and line feeds are escaped in label values.
  @Test func metricsHaveHelpTypeAndEscapedLabels() {
    var metrics = PrometheusText()
    metrics.begin("m", .gauge, help: "What it is.")
    metrics.add("m", 1.5)
    metrics.add("m", 2, ["app": "a\\b\"c\nd", "kind": "x"])
    #expect(
      metrics.text == """
        # HELP m What it is.
        # TYPE m gauge
        m 1.5
        m{app="a\\\\b\\"c\\nd",kind="x"} 2

        """)
  }
}

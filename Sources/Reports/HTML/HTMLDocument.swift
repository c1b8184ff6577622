/// A page that needs nothing but itself: the style is inside, and a policy forbids scripts and all requests, so that
/// even markup that came through the escaping could do nothing.
///
/// - Parameters:
///   - title: Of any origin.
///   - body: Lines of markup.
///   - style: Rules of CSS.
func htmlDocument(title: String, body: [String], style: String = htmlStyle) -> String {
  """
  <!DOCTYPE html>
  <html lang="en">
  <head>
  <meta charset="utf-8">
  <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <meta name="color-scheme" content="light dark">
  <meta name="referrer" content="no-referrer">
  <link rel="icon" href="data:,">
  <title>\(htmlEscaped(title))</title>
  <style>
  \(style)
  </style>
  </head>
  <body>
  \(body.joined(separator: "\n"))
  </body>
  </html>

  """
}

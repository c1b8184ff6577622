/// The pages' markup (Mustache). Values are escaped by ``ScalarEscaping``, which each template asks for.
enum Templates {
  static let layout = """
    {{% CONTENT_TYPE: \(ScalarEscaping.name)}}<!DOCTYPE html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="/style.css">
    <title>{{title}} · tollgate</title>
    </head>
    <body>
    <a class="skip" href="#main">To the content</a>
    <header class="top">
    <p class="brand"><a href="/">tollgate</a></p>
    <nav aria-label="Reports">
    {{#groups}}<ul aria-label="{{name}}">
    {{#views}}<li><a href="{{link}}"{{#isCurrent}} aria-current="page"{{/isCurrent}}>{{title}}</a></li>
    {{/views}}</ul>
    {{/groups}}</nav>
    </header>
    <main id="main">
    {{{content}}}
    </main>
    <footer>tollgate {{version}} · <a href="/api/v1/openapi.json">API</a></footer>
    </body>
    </html>

    """

  static let report = """
    {{% CONTENT_TYPE: \(ScalarEscaping.name)}}<h1>{{title}}</h1>
    <p class="summary">{{summary}}</p>
    {{#fault}}<p class="fault" role="alert">{{fault}}</p>
    {{/fault}}{{#hasChips}}<ul class="chips" aria-label="Filters in use">
    {{#chips}}<li><a href="{{link}}" title="Remove this filter"><bdi>{{text}}</bdi> <span aria-hidden="true">×</span><span class="hidden"> remove</span></a></li>
    {{/chips}}<li><a href="{{path}}">Remove all</a></li>
    </ul>
    {{/hasChips}}<details class="filters"{{#isOpen}} open{{/isOpen}}>
    <summary>Filters and options</summary>
    <form method="get" action="{{path}}">
    {{#fields}}{{#boxes}}<fieldset>
    <legend>{{label}}</legend>
    {{#options}}<label class="box"><input type="checkbox" name="{{name}}" value="{{value}}"{{#isChosen}} checked{{/isChosen}}> <bdi>{{shown}}</bdi></label>
    {{/options}}{{#others}}<label class="other">{{label}} <input type="text" name="{{name}}" value="{{value}}" placeholder="{{placeholder}}"></label>
    {{/others}}<small>{{help}}</small>
    </fieldset>
    {{/boxes}}{{#input}}<div class="field"><label for="{{id}}">{{label}}</label>
    <input id="{{id}}" type="{{type}}" name="{{name}}" value="{{value}}" placeholder="{{placeholder}}"{{{limits}}} aria-describedby="{{id}}-help">
    <small id="{{id}}-help">{{help}}</small></div>
    {{/input}}{{#choice}}<div class="field"><label for="{{id}}">{{label}}</label>
    <select id="{{id}}" name="{{name}}" aria-describedby="{{id}}-help">
    {{#options}}<option value="{{value}}"{{#isChosen}} selected{{/isChosen}}>{{shown}}</option>
    {{/options}}</select>
    <small id="{{id}}-help">{{help}}</small></div>
    {{/choice}}{{/fields}}<p class="actions"><button type="submit">Show</button> <a href="{{path}}">Reset</a></p>
    </form>
    </details>
    {{{chart}}}
    {{{body}}}
    {{>files}}
    """

  /// How programs get the same.
  static let files = """
    {{% CONTENT_TYPE: \(ScalarEscaping.name)}}{{#files}}<p class="files">This table: <a href="{{csv}}">CSV</a> · <a href="{{spreadsheet}}">CSV for spreadsheets</a> · <a href="{{json}}">JSON</a></p>
    <p class="files">On the command line: <code>{{command}}</code></p>
    {{/files}}
    """

  static let explanation = """
    {{% CONTENT_TYPE: \(ScalarEscaping.name)}}<h1>{{title}}</h1>
    <p class="summary">{{summary}}</p>
    {{#fault}}<p class="fault" role="alert">{{fault}}</p>
    {{/fault}}<p><a href="{{back}}">Back to the table: {{table}}</a></p>
    {{{body}}}
    {{#pages}}<p>{{#previous}}<a rel="prev" href="{{previous}}">Persons before</a> · {{/previous}}{{range}}{{#next}} · <a rel="next" href="{{next}}">Persons after</a>{{/next}}</p>
    {{/pages}}{{>files}}
    """

  static let overview = """
    {{% CONTENT_TYPE: \(ScalarEscaping.name)}}<h1>Overview</h1>
    <section aria-labelledby="apps"><h2 id="apps">Apps</h2>
    {{#apps}}<p><bdi><strong>{{name}}</strong></bdi>{{#asOf}} as of {{asOf}}{{/asOf}}: {{#links}}<a href="{{link}}">{{title}}</a> {{/links}}</p>
    {{/apps}}{{^apps}}<p>The store has no events yet: run <code>tollgate ingest</code> on some files.</p>
    {{/apps}}</section>
    <section aria-labelledby="experiments"><h2 id="experiments">Experiments</h2>
    {{{experiments}}}
    <ul>{{#readouts}}<li><a href="{{link}}">Readout of <bdi>{{name}}</bdi></a></li>
    {{/readouts}}</ul></section>
    <section aria-labelledby="reports"><h2 id="reports">Reports</h2>
    <dl>{{#views}}<dt><a href="{{link}}">{{title}}</a></dt><dd>{{summary}}</dd>
    {{/views}}</dl></section>
    """

  static let fault = """
    {{% CONTENT_TYPE: \(ScalarEscaping.name)}}<h1>{{title}}</h1>
    <p class="fault" role="alert">{{fault}}</p>
    <p><a href="/">To the overview</a></p>
    """
}

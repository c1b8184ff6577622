"""Opens the report page and the dashboard in a real headless Chromium: `make browser`.

    python run.py --program .build/release/tollgate [--pictures out/browser]
"""

import argparse
import importlib.util
import json
import sys
import tempfile
from datetime import date, timedelta
from pathlib import Path

from browser import SCHEMES, WIDTHS, Browser, installed
from crawl import Crawl
from program import HOSTILE, Program, Server, hostile_events, long_names, thousand_cells
from selenium.common.exceptions import NoAlertPresentException
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

ROOT = Path(__file__).resolve().parents[3]
AXE = Path(importlib.util.find_spec("axe_playwright_python").origin).with_name("axe.min.js")
# The pages that people open and mail most, in screenshots of every size.
PICTURED = ["/", "/reports/funnel?app=steps&by=variant", "/reports/retention?app=steps&by=month,plan&by-period=true",
            "/reports/experiment?name=techniq_headline&app=techniq", "/reports/mrr?app=steps&by=month&movement=true",
            "/reports/health"]


class Checks:
    """Counts what holds, and says what does not."""

    def __init__(self):
        self.passed = self.failed = 0

    def that(self, holds, what):
        self.passed, self.failed = self.passed + bool(holds), self.failed + (not holds)
        if not holds:
            print(f"FAILED: {what}", file=sys.stderr)

    def equal(self, got, wanted, what):
        self.that(got == wanted, f"{what}: {got!r}, expected {wanted!r}")


def is_sound(check, browser, address, name):
    """No complaint, nothing asked elsewhere, one main heading, headings in order, no fault that axe finds."""
    check.equal(browser.open(address), [], f"{name}: complaints")
    leaks = browser.run("return document.body.textContent.match(/\\w+\\.?Markup\\(|Optional\\(|trusted:/g) || []")
    check.equal(leaks, [], f"{name}: the program's own names in the text")
    weight = browser.run("return performance.getEntries().reduce((sum, entry) => sum + (entry.decodedBodySize || 0), 0)")
    check.that(weight <= 150_000, f"{name}: {weight:,} bytes with stylesheet and script")
    levels = browser.run("return [...document.querySelectorAll('main :is(h1,h2,h3,h4)')].map(h => +h.tagName[1])")
    check.equal(levels[:1] + [levels.count(1)], [1, 1], f"{name}: one h1, first")
    check.that(all(b - a <= 1 for a, b in zip(levels, levels[1:])), f"{name}: headings skip a level: {levels}")
    for scheme in SCHEMES:
        browser.look(scheme, 1280)
        faults = accessibility(browser)
        check.equal(faults, [], f"{name}, {scheme}: axe")
    browser.look("light", 1280)


def accessibility(browser):
    """What axe-core finds, WCAG 2.2 A and AA and its best practices."""
    # Rows of a table are alike: two of them take a tenth of the time.
    browser.run("for (const body of document.querySelectorAll('tbody')) while (body.rows.length > 2) body.deleteRow(2)")
    browser.run(AXE.read_text())
    found = browser.driver.execute_async_script("""
        const done = arguments[0];
        axe.run(document, {resultTypes: ['violations']}).then(found => done(found.violations), fault => done(
          [{id: 'axe', impact: `${fault}`, nodes: [{html: ''}]}]))""")
    return [f"{one['id']} ({one['impact']}): {one['nodes'][0]['html'][:160]} {one['nodes'][0].get('failureSummary', '')[:300]}"
            for one in found]


def fits(check, browser, name):
    """Nothing but tables and pictures in boxes of their own is wider than the screen."""
    over = browser.run("return document.documentElement.scrollWidth - window.innerWidth")
    check.that(over <= 0, f"{name}: {over} pixels wider than the screen")


def look_at(check, browser, addresses, folder):
    for name, address in addresses:
        for scheme in SCHEMES:
            for width in WIDTHS:
                browser.look(scheme, width)
                browser.open(address)
                fits(check, browser, f"{name} at {width}")
                browser.picture(folder / f"{name}-{scheme}-{width}.png")
    browser.look("light", 1280)


def focus_order(browser, most=400):
    """What the tab key comes to: a description of each element, in order, once around."""
    browser.run("document.activeElement && document.activeElement.blur(); window.scrollTo(0, 0)")
    order = []
    for _ in range(most):
        browser.press(Keys.TAB)
        one = browser.run("""
            const e = document.activeElement;
            if (!e || e === document.body) return null;
            if (!window.stops) window.stops = new Map();
            if (!window.stops.has(e)) window.stops.set(e, window.stops.size);
            const s = getComputedStyle(e);
            const shown = s.outlineStyle !== 'none' || s.boxShadow !== 'none' || s.stroke !== 'none';
            return [window.stops.get(e), e.tagName, e.getAttribute('href'), shown, !!e.closest('main') && e.className !== 'scroll'];
            """)
        if one is None or (order and one[0] == order[0][0]):
            break
        order.append(one)
    return order


def by_keyboard(check, browser, server):
    """Every visible link, field and table is a stop of the tab key, shows that it is, and Enter opens it."""
    browser.open(server.address + "/")
    stops = focus_order(browser)
    wanted = browser.run("return [...document.querySelectorAll('.side .nav a')].map(a => a.getAttribute('href'))")
    reached = [stop[2] for stop in stops]
    check.equal([link for link in wanted if link not in reached], [], "links of the menu that the tab key does not reach")
    check.that(len(wanted) >= 20, f"the menu has {len(wanted)} views")
    check.equal([stop[1:3] for stop in stops if not stop[3]], [], "stops without a visible focus")
    check.equal(reached[0], "#main", "the first stop leads to the content")
    for link in wanted:
        browser.open(server.address + "/")
        browser.run("document.querySelector(`.side .nav a[href='${arguments[0]}']`).focus()", link)
        browser.press(Keys.ENTER)
        check.equal(browser.run("return location.pathname"), link.partition("?")[0], "Enter on a link of the menu")
    browser.open(server.address + "/reports/funnel?app=steps&by=variant")
    visible = browser.run("""
        return [...document.querySelectorAll('main a, main summary, main input, main button')]
          .filter(e => e.checkVisibility({visibilityProperty: true})).length""")
    inside = {stop[0] for stop in focus_order(browser) if stop[4]}
    # A chart is one stop more.
    check.equal(len(inside), visible + 1, "controls of a report that the tab key reaches")
    # Along a chart, to the palette and back.
    browser.run("document.querySelector('.chart [tabindex=\"0\"]').focus()")
    first = browser.run("return document.querySelector('.tip:not([hidden])').textContent")
    browser.press(Keys.ARROW_RIGHT)
    check.that(browser.run("return document.querySelector('.tip:not([hidden])').textContent") != first, "an arrow walks on")
    browser.run("document.activeElement.blur()")
    browser.press("/")
    check.equal(browser.run("return document.activeElement.dataset.find"), "table-1", "/ searches the table")
    browser.press("anch")
    check.equal(browser.run("return [...document.querySelectorAll('#table-1 tbody tr:not([hidden]) th')].map(e => e.textContent)"),
                ["anchor"], "rows that are found")
    browser.run("document.activeElement.blur()")
    browser.press("?")
    check.that(browser.run("return document.querySelector('#keys').open"), "? tells the keys")
    browser.press(Keys.ESCAPE)
    webdriver_keys(browser, "k")
    check.that(browser.run("return document.querySelector('#palette').open"), "Ctrl K opens the palette")
    browser.press("retention", Keys.ENTER)
    check.equal(browser.run("return location.pathname"), "/reports/retention", "the palette goes to a report")


def webdriver_keys(browser, letter):
    ActionChains(browser.driver).key_down(Keys.CONTROL).send_keys(letter).key_up(Keys.CONTROL).perform()


def numbers(check, browser, server):
    """A number of a table leads to the persons that it is made of, and from there on and back."""
    browser.open(server.address + "/reports/funnel?app=steps&by=variant&columns=all")
    link = browser.driver.find_element(By.CSS_SELECTOR, "main td a[href*='column=paid_users']")
    shown = link.text
    link.send_keys(Keys.ENTER)
    is_sound(check, browser, browser.driver.current_url, "a number")
    check.that(f": {shown}" in browser.run("return document.querySelector('main').textContent"),
               f"the page is of {shown}")
    persons = []
    for _ in range(1_000):
        persons += browser.run("return [...document.querySelectorAll('.persons > li strong bdi')].map(e => e.textContent)")
        following = browser.driver.find_elements(By.CSS_SELECTOR, "a[rel=next]")
        if not following:
            break
        following[0].send_keys(Keys.ENTER)
    check.equal(len(persons), len(set(persons)), "persons of a number, each once")
    check.that(len(persons) >= int(shown), f"{len(persons)} persons of {shown}")
    browser.driver.find_element(By.CSS_SELECTOR, ".persons strong a").send_keys(Keys.ENTER)
    is_sound(check, browser, browser.driver.current_url, "a user")
    check.that("What happened, and what each event did" in browser.run("return document.querySelector('main').textContent"),
               "a user leads to what happened")
    browser.run("history.back()")
    browser.driver.find_element(By.LINK_TEXT, "Back to the table: Funnel").send_keys(Keys.ENTER)
    check.equal(browser.driver.current_url, server.address + "/reports/funnel?app=steps&by=variant", "the way back")
    browser.open(server.address + "/reports/trials/explain?app=coach&key=app%3Dcoach&key=variant%3Dcontrol&column=trials")
    text = browser.run("return document.querySelector('main').textContent")
    check.that("1,389" in text and "1389" not in text, "thousands of a page have a comma")


def overview(check, browser, server):
    """A tile leads to a page that has its number at the top, and a finding to its row."""
    for home in ["/", "/?app=steps", "/?range=7d"]:
        browser.open(server.address + home)
        tiles = browser.run("""
            return [...document.querySelectorAll('a.tile')].map(a => [
              a.querySelector('h2').textContent, a.querySelector('.big').firstChild.textContent.trim(), a.href])""")
        check.equal(len(tiles), 6, f"{home}: tiles that lead on")
        findings = browser.run("return [...document.querySelectorAll('.finds a')].map(a => a.href)")
        for name, value, address in tiles:
            browser.open(address)
            shown = browser.run(
                "return [...document.querySelectorAll('.tiles .big')].map(e => e.firstChild.textContent.trim())")
            check.that(value in shown, f"{home}: {name} is {value}, but the page {address} has {shown}")
        for address in findings:
            browser.open(address)
            check.that(browser.run("return !!document.querySelector('tr:target')"), f"{home}: no row for {address}")


def changes(check, browser, program, server, store):
    """The menu Compare says what `--compare` says, and a link from there what `why` says."""
    browser.open(server.address + "/reports/funnel?app=steps&range=28d&compare=before")
    is_sound(check, browser, browser.driver.current_url, "a comparison")
    words = ["--app", "steps", "--from", "2026-02-16", "--to", "2026-03-16", "--compare", "2026-01-19..2026-02-16"]
    for name, heading, asked in [("compared", "Funnel compared", ["funnel"]),
                                 ("why", "Funnel: where “paid, in all” changed", ["why", "funnel", "--column", "paid_rate"])]:
        if name == "why":
            browser.driver.find_element(By.LINK_TEXT, "paid, in all").send_keys(Keys.ENTER)
            is_sound(check, browser, browser.driver.current_url, "why a number changed")
        # As it was before the check left out rows.
        browser.open(browser.driver.current_url)
        shown = browser.run("return [...document.querySelectorAll('main section')].map(e => e.textContent)"
                            f".find(e => e.includes('{heading}')) ?? ''")
        row = next(row for row in program.rows(store, *asked, *words)
                   if row.get("verdict") == "total" or row.get("column") == "paid_rate" and row["variant"] == "anchor")
        if name == "why":
            parts = browser.run("""
                const card = [...document.querySelectorAll('main section')].find(e => e.querySelector('h2')?.textContent === 'By country');
                return [...(card?.querySelectorAll('tbody tr') ?? [])].map(tr => [...tr.cells].map(c => c.textContent))""")
            values = [round(float(text[:-1].split()[0].rstrip("%p ").replace("−", "-")) * 10_000) for _, text in parts]
            check.that(len(values) > 2 and values[0] + sum(values[1:-1]) == values[-1], f"the waterfall by country adds up: {parts}")
        for column in ["before", "now"] if name == "compared" else ["before_rate", "now_rate"]:
            check.that(f"{float(row[column]) * 100:.1f}%" in shown, f"{name}: {column} is {row[column]}")

    # Between the arms of an experiment, the page asks which users differ.
    browser.open(server.address + "/reports/experiment?name=steps_yearly_anchor&app=steps")
    browser.driver.find_element(By.LINK_TEXT, "paid").send_keys(Keys.ENTER)
    is_sound(check, browser, browser.driver.current_url, "why the arms of an experiment differ")
    shown = browser.run("return document.querySelector('main').textContent")
    total = next(row for row in program.rows(store, "why", "experiment", "steps_yearly_anchor", "--app", "steps", "--column", "paid")
                 if row["verdict"] == "total")
    check.that("where “paid” differs" in shown, "the page says where the arms differ")
    for column in ["before_rate", "now_rate"]:
        check.that(f"{float(total[column]) * 100:.1f}%" in shown, f"why experiment: {column} is {total[column]}")


def table(browser, *columns):
    """Cells of the page's first table with these columns: (texts without intervals) by row, in order of the first."""
    rows = browser.run("""
        for (const table of document.querySelectorAll('main table')) {
          const names = [...table.querySelectorAll('thead th')].map(th => th.textContent.trim());
          const places = arguments[0].map(name => names.indexOf(name));
          if (places.includes(-1)) continue;
          return [...table.querySelectorAll('tbody tr:not(.sum)')].map(tr => places.map(p =>
            [...tr.cells[p].childNodes].filter(n => n.nodeName !== 'SMALL').map(n => n.textContent).join('').trim()));
        }
        return null""", list(columns))
    return sorted(rows) if rows else rows


def filters(check, browser, program, server, store):
    """What is chosen comes to the numbers that the command line prints."""
    browser.open(server.address + "/reports/funnel?app=steps")
    for summary in browser.driver.find_elements(By.CSS_SELECTOR, ".tools summary"):
        if summary.text == "Options":
            summary.send_keys(Keys.ENTER)
    browser.driver.find_element(By.CSS_SELECTOR, "input[name=by]").send_keys("variant")
    browser.driver.find_element(By.CSS_SELECTOR, "input[name=where]").send_keys("country=US", Keys.ENTER)
    def wanted(*arguments):
        return sorted([row["variant"], f"{int(row['users']):,}"] for row in program.rows(store, "funnel", *arguments))
    us = wanted("--app", "steps", "--by", "variant", "--where", "country=US")
    got = table(browser, "Variant", "Viewers")
    check.equal(got, us, "the funnel of a form")
    check.that(wanted("--app", "steps", "--by", "variant") != us, "the filter changes numbers")
    browser.open(browser.driver.current_url)
    check.equal(table(browser, "Variant", "Viewers"), got, "the same by its address")
    browser.driver.find_element(By.CSS_SELECTOR, ".facet a[href*='GB']").send_keys(Keys.ENTER)
    check.equal(table(browser, "Variant", "Viewers"),
                wanted("--app", "steps", "--by", "variant", "--where", "country=US,GB"), "one value more of a menu")
    browser.driver.find_element(By.CSS_SELECTOR, "a.chip").send_keys(Keys.ENTER)
    check.equal(table(browser, "Variant", "Viewers"), wanted("--app", "steps", "--by", "variant"), "a filter is taken away")
    browser.open(server.address + "/reports/funnel?app=steps&by=variant&range=28d")
    check.equal(table(browser, "Variant", "Viewers"),
                wanted("--app", "steps", "--by", "variant", "--from", "2026-02-16", "--to", "2026-03-16"), "a range by its word")
    browser.open(server.address + "/reports/trials?app=techniq&by=variant&as-of=2026-02-15")
    rows = program.rows(store, "trials", "--app", "techniq", "--by", "variant", "--as-of", "2026-02-15")
    check.equal(table(browser, "Variant", "Trials", "Paid"),
                sorted([row["variant"], row["trials"], row["matured_converted"]] for row in rows), "an as-of of the past")
    browser.open(server.address + "/reports/funnel?by=colour")
    check.that("colour" in browser.driver.find_element(By.CSS_SELECTOR, "[role=alert]").text, "a wrong filter is named")
    check.equal(browser.driver.find_element(By.CSS_SELECTOR, "input[name=by]").get_attribute("value"), "colour",
                "after an error choices stay")


# A newcomer's questions: the links from the home page to the answer, by their visible names, and the text
# that the last page must show. `Ctrl K` is the key, followed by what is typed.
QUESTIONS = [
    ("What did all apps take in, net, in the last 28 days?", [], ["15,256 USD"]),
    ("Is that more than before?", [], ["+4.6%", "−9% to +18%", "not more than chance"]),
    ("What is the recurring revenue a month, all apps?", [], ["8,908 USD"]),
    ("Which app earned most in these days?", [], ["coach5,716"]),
    ("Should we ship anchor?", [], ["Ship anchor", "+11.0 pp", "+5.4 to +16.5"]),
    # 37.57 new users a day × 365 × 1.35 USD, in three digits (D6.7).
    ("What is it worth a year?", ["steps_yearly_anchor"], ["Worth a year, if everyone had it+18,500 USD", "−2,390 to +39,400 however often you look"]),
    ("Why not free_week, which wins trials?", [], ["−6.8 pp", "7.7% against 14.5%"]),
    ("Is the praxisen test a draw?", [], ["Undecided", "the true lift could be anything from −45% to +41%"]),
    ("Is the praxisen test a draw? (its page)", ["praxisen_limit_copy"],
     ["the true lift could be anything from −45% to +41%"]),
    ("Can I trust the split of the anchor test?", ["steps_yearly_anchor"], ["1,313", "1,337", "Even split, as assumed"]),
    ("How many of steps' control viewers pay?", ["steps", "Funnel"], ["17.9% 15.5 to 20.5 · 165", "923"]),
    ("Which entry point of steps sells best?", ["steps", "Funnel"], ["view_plans", "43.2% 37.9 to 48.7 · 137", "317"]),
    ("How many viewers came with version 7.2.2, and did they buy?", ["steps", "Funnel"],
     ["7.2.2 too recent to count97"]),
    ("What did steps take in, net, in February?", ["steps", "Revenue"], ["3,450.29"]),
    ("Is March worse than February?", ["steps", "Month"], ["2,598", "before 1,884"]),
    ("How much recurring revenue did steps lose to churn in February?", ["steps", "Recurring revenue"], ["−89.02"]),
    ("How many January monthly subscribers are still there after 35 days?", ["steps", "Retention"],
     ["78.8% 69.7 to 85.5"]),
    ("What share of free trials of steps comes to pay?", ["steps", "Trials"], ["60.6%", "482"]),
    ("What saving does anchor show in US dollars?", ["steps", "Savings"], ["58.2%", "44.3%"]),
    ("Are files missing?", [], ["Churn: 18 days without an event", "coach 9, praxisen 8, steps 1"]),
    ("Why does u-2xkeqbpy count as paid?", ["Ctrl K", "u-2xkeqbpy"],
     ["5.99 USD", "29 Jan", "Converts the trial of 22 Jan 16:18, 7 min after its end"]),
]


def follow(check, browser, name):
    """Opens the first visible link of this name, else the first that has it as one of its lines."""
    shown = [link for link in browser.driver.find_elements(By.CSS_SELECTOR, "a[href]") if link.is_displayed()]
    links = [link for link in shown if link.text.strip() == name] + [
        link for link in shown if name in [line.strip() for line in link.text.splitlines()]]
    check.that(links, f"a link {name} on {browser.driver.current_url}")
    if links:
        browser.driver.get(links[0].get_attribute("href"))


def questions(check, browser, program, store):
    """The twenty questions of a newcomer, each at most two links or keys from the home page."""
    rates = program.folder / "constant.csv"
    rates.write_text("date,currency,usd_per_unit\n" + "".join(
        f"{date(2026, 1, 1) + timedelta(days=day)},{currency},{rate}\n"
        for day in range(76) for currency, rate in [("EUR", 1.08), ("GBP", 1.27), ("JPY", 0.0067)]))
    program.run("rates", "import", "--store", store, rates)
    browser.look("light", 1440)
    with Server(program, store) as server:
        for question, way, answers in QUESTIONS:
            browser.open(server.address + "/")
            if way[:1] == ["Ctrl K"]:
                webdriver_keys(browser, "k")
                browser.press(way[1], Keys.ENTER)
            else:
                for name in way:
                    follow(check, browser, name)
            text = browser.run("return document.querySelector('main').textContent")
            check.equal([one for one in answers if one not in text], [], f"{question} {way}: answers that are not there")
    browser.look("light", 1280)


def shown(text):
    """A name as pages show it: what is hidden or moves something is spelled out."""
    names = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
    hidden = [*range(0x20), *range(0x7F, 0xA0), 0xAD, 0x61C, 0x180E, 0x200B, 0x200E, 0x200F, *range(0x2028, 0x202F),
              *range(0x2060, 0x2070), 0xFEFF, *range(0xFFF9, 0xFFFC)]
    return "".join(names.get(one) or (f"\\u{{{ord(one):04X}}}" if ord(one) in hidden else one) for one in text)


def is_harmless(check, browser, address, name, wanted=()):
    """Nothing of the names has run, and they are all there as text."""
    complaints = browser.open(address)
    check.equal(complaints, [], f"{name}: complaints")
    check.that(browser.run("return window.hacked === undefined"), f"{name}: a name has run")
    try:
        check.that(False, f"{name}: {browser.driver.switch_to.alert.text}")
        browser.driver.switch_to.alert.dismiss()
    except NoAlertPresentException:
        pass
    odd = browser.run("""return [...document.querySelectorAll('script:not([src^="/tollgate-"]), img, iframe, object, embed, base, svg[onload]')].length
        + [...document.querySelectorAll('*')].filter(e => [...e.attributes].some(a => a.name.startsWith('on'))).length""")
    check.equal(odd, 0, f"{name}: elements or attributes that names have made")
    text = browser.run("return document.body.textContent")
    check.equal([one for one in wanted if shown(one) not in text], [], f"{name}: names that are not shown")


def links(check, server):
    """Every link of every page leads to an answer: those of the menu's pages, and of the pages that these lead to."""
    crawl = Crawl(server.address)
    for home in ["/", "/?app=steps"]:
        crawl.pages(crawl.menu(home))
    # Choices that a reader takes along to other pages.
    crawl.pages([f"/reports/{path}" for path in [
        "trials?app=steps&where=trial_kind%3Dintroductory&where=country%3DUS", "retention?where=plan%3Dmonthly",
        "savings?where=tier%3Dindividual", "revenue?by=stage&where=stage%3Dfirst", "mrr?where=month%3D2026-02",
        "funnel?compare=previous", "funnel?app=steps&range=28d&compare=before", "funnel?compare=variant%3Danchor",
        "funnel?from=2026-01-05&to=2026-01-12", "funnel?app=steps,coach&columns=all", "experiments?sort=verdict:desc",
        "experiment?name=steps_yearly_anchor&app=steps&why=paid", "cadence?sort=paid_rate:desc", "activity?by=week,country",
        "payback?by=campaign", "health?columns=all", "quarantine?columns=all"]] + ["/?app=steps&range=7d"])
    # The links of an error page lead out of it; only the form keeps what is wrong.
    crawl.errors([f"/reports/{path}" for path in [
        "funnel?by=varient", "funnel?app=nothing", "trials?where=colour%3Dred&app=steps", "experiment?name=nothing",
        "revenue?sort=nothing"]])
    check.that(len(crawl.seen) > 2_000, f"only {len(crawl.seen)} links are followed")
    check.equal(crawl.broken, [], f"links of {len(crawl.seen)} that lead to an error")


def small_screens(check, browser, server):
    """On a phone controls are at least 40 px high; on a small screen the whole menu is in sight."""
    browser.look("light", 390)
    for path in ["/", "/reports/funnel?app=steps&where=country%3DUS", "/reports/experiment?name=steps_yearly_anchor&app=steps"]:
        browser.open(server.address + path)
        # Links in sentences, tables and pictures are no controls.
        low = browser.run("""
            return [...document.querySelectorAll('a, button, summary, input:not([type=checkbox]), select')]
              .filter(e => e.closest('.menu') || !e.closest('.vh, td, th, p, li, svg'))
              .map(e => [e.textContent.trim().slice(0, 30), e.getBoundingClientRect()])
              .filter(([, box]) => box.width && box.height && box.height < 39.5).map(([text, box]) => `${text}: ${box.height}`)""")
        check.equal(low, [], f"{path}: controls lower than 40 px")
    # A number of three digits is 21 px wide.
    browser.open(server.address + "/reports/retention?app=steps")
    narrow = browser.run("return [...document.querySelectorAll('.heat td svg')].filter(e => e.getBoundingClientRect().width < 22).length")
    check.equal(narrow, 0, "cells of a heat map narrower than their number")
    # Two lines of 20 px, with the space around them.
    for path in ["value", "health", "experiments", "funnel?app=steps&compare=before&range=28d"]:
        browser.open(server.address + f"/reports/{path}")
        high = browser.run("return [...document.querySelectorAll('table[data-sort] tbody tr')].filter(e => e.getBoundingClientRect().height > 60).length")
        check.equal(high, 0, f"{path}: rows of more than two lines")
    browser.open(server.address + "/reports/experiment?name=steps_yearly_anchor&app=steps")
    apart = browser.run("""
        return [...document.querySelectorAll('.cards-sm tr:not(.group)')].filter(row => row.cells.length > 2)
          .filter(row => row.cells[0].getBoundingClientRect().top !== row.cells[1].getBoundingClientRect().top).length""")
    check.equal(apart, 0, "rows of a scorecard whose values are not beside the name")
    browser.look("light", 1440)
    browser.open(server.address + "/")
    end = browser.run("return [...document.querySelectorAll('.side .nav a')].at(-1).getBoundingClientRect().bottom")
    check.that(end <= 900, f"the menu ends at {end} px of 900")
    browser.look("light", 1280)


def hostile(check, browser, program):
    store = program.store("hostile", hostile_events(program.folder / "hostile.jsonl"))
    is_harmless(check, browser, program.page(store).as_uri(), "hostile report page", HOSTILE)
    with Server(program, store) as server:
        browser.open(server.address + "/")
        links = browser.run("return [...new Set([...document.querySelectorAll('main a, nav a')].map(a => a.href))]")
        check.that(len(links) > 2 * len(HOSTILE), "apps and experiments have links of their own")
        own = [server.address + path for path in ["/", "/reports/experiments", "/reports/health", "/reports/quarantine?columns=all"]]
        # Quarantine shows lines as they came, in which JSON has escaped some.
        raw = [json.dumps(name, ensure_ascii=False)[1:-1] for name in HOSTILE]
        for address, names in zip(own, [HOSTILE, HOSTILE, [], raw]):
            is_harmless(check, browser, address, address.removeprefix(server.address), names)
        dimensions = ["variant", "entry_point", "paywall", "experiment", "platform", "store", "app_version",
                      "property:source"]
        for dimension in dimensions:
            path = f"/reports/funnel?by={dimension}"
            is_harmless(check, browser, server.address + path, path, HOSTILE)
        for report in ["trials", "savings", "cancellations", "revenue", "mrr", "subscriptions", "retention", "ltv",
                       "refunds", "value", "cadence", "gates", "nudges", "activity"]:
            path = f"/reports/{report}?by=variant" + ("&by=month" if report == "activity" else "")
            is_harmless(check, browser, server.address + path, path)
        for link in links:
            if "/reports/experiment?" in link or "app=" in link and "/funnel" in link:
                is_harmless(check, browser, link, link.removeprefix(server.address))
    # A name of 200 letters without a space, and one of many words.
    store = program.store("long", long_names(program.folder / "long.jsonl"))
    with Server(program, store) as server:
        browser.open(server.address + "/")
        links = browser.run("return [...new Set([...document.querySelectorAll('main a.test, .side .nav a')].map(a => a.href))]")
        for width in WIDTHS:
            browser.look("light", width)
            for link in links:
                browser.open(link)
                fits(check, browser, f"long names, {link.removeprefix(server.address)[:60]} at {width}")
        browser.look("light", 1280)


def large(check, browser, program):
    store = program.store("wide", thousand_cells(program.folder / "wide.jsonl"))
    page = program.page(store)
    size = page.stat().st_size
    check.that(size < 1_000_000, f"the page of a thousand cells has {size:,} bytes")
    browser.open(page.as_uri())
    seconds = browser.run("""
        const [entry] = performance.getEntriesByType('navigation');
        document.body.offsetHeight;
        return (entry.loadEventEnd - entry.startTime) / 1000""")
    print(f"the page of a thousand cells: {size:,} bytes, {seconds:.2f} s")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=Path, required=True)
    parser.add_argument("--pictures", type=Path, default=ROOT / "out/browser")
    parser.add_argument("--only", choices=["pages", "links", "keyboard", "numbers", "changes", "filters", "screens",
                                           "questions", "hostile", "large", "pictures"])
    given = parser.parse_args()
    if not installed():
        print("skipped: the browser tests need Debian's packages chromium and chromium-driver")
        return 0
    given.pictures.mkdir(parents=True, exist_ok=True)
    check = Checks()
    browser = Browser()
    def wanted(name):
        return given.only in (None, name)
    try:
        with tempfile.TemporaryDirectory(prefix="tollgate-browser-") as folder:
            program = Program(given.program.resolve(), Path(folder))
            store = program.store("sample", ROOT / "SampleData/events")
            program.run("rates", "import", "--store", store, ROOT / "SampleData/rates.csv")
            page = program.page(store).as_uri()
            with Server(program, store) as server:
                if wanted("pages"):
                    for file in sorted(Path(page.removeprefix("file://")).parent.glob("*.html")):
                        is_sound(check, browser, file.as_uri(), file.name)
                    browser.open(server.address + "/")
                    for link in browser.run("return [...document.querySelectorAll('.side .nav a')].map(a => a.href)"):
                        is_sound(check, browser, link, link.removeprefix(server.address))
                    for path in PICTURED:
                        is_sound(check, browser, server.address + path, path)
                # It follows thousands of links, for minutes.
                if given.only == "links":
                    links(check, server)
                if wanted("screens"):
                    small_screens(check, browser, server)
                if wanted("keyboard"):
                    by_keyboard(check, browser, server)
                if wanted("numbers"):
                    numbers(check, browser, server)
                    overview(check, browser, server)
                if wanted("changes"):
                    changes(check, browser, program, server, store)
                if wanted("filters"):
                    filters(check, browser, program, server, store)
                if wanted("pictures"):
                    named = [(path.strip("/").replace("reports/", "").partition("?")[0] or "overview",
                              server.address + path) for path in PICTURED]
                    look_at(check, browser, [("page", page)] + named, given.pictures)
            if wanted("questions"):
                questions(check, browser, program, program.store("questions", ROOT / "SampleData/events"))
            if wanted("hostile"):
                hostile(check, browser, program)
            if wanted("large"):
                large(check, browser, program)
    finally:
        browser.close()
    print(f"pictures: {given.pictures}")
    print(f"{check.passed} passed, {check.failed} failed")
    return 1 if check.failed else 0


if __name__ == "__main__":
    sys.exit(main())

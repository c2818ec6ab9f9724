"""Opens a report in Chromium, without a window, as people do."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Page, sync_playwright

#: Texts of charts that lie on each other by more than a few pixels, or leave their chart; pages that are wider than the screen.
OVERLAPS = """() => {
  const found = [];
  for (const svg of document.querySelectorAll('svg')) {
    const texts = [...svg.querySelectorAll('text')].map((it) => [it.textContent.trim(), it.getBoundingClientRect()]);
    for (let i = 0; i < texts.length; i++)
      for (let j = i + 1; j < texts.length; j++) {
        const [a, b] = [texts[i][1], texts[j][1]];
        const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
        const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        if (wide > 3 && high > Math.min(a.height, b.height) * 0.35) found.push(`${texts[i][0]} / ${texts[j][0]}`);
      }
    const own = svg.getBoundingClientRect();
    for (const [text, box] of texts)
      if (box.left < own.left - 2 || box.right > own.right + 2) found.push(`${text} leaves its chart`);
  }
  if (document.documentElement.scrollWidth > innerWidth + 1) found.push('the page is wider than the screen');
  return found;
}"""


def problems_of(path: Path, screenshots: Path | None = None) -> list[str]:
    """Returns what is wrong with a page: what it says on the console, what it requests, texts that overlap at the widths of a phone and of
    a large screen, and what pointing, zooming, sorting and filtering do not do."""
    problems: list[str] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        page = browser.new_page()
        page.on("console", lambda message: problems.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: problems.append(f"error: {error}"))
        own = path.resolve().as_uri()
        page.on("request", lambda request: request.url == own or problems.append(f"request: {request.url}"))
        page.goto(own)
        for width in (360, 1600):
            page.set_viewport_size({"width": width, "height": 900})
            for scheme in ("light", "dark"):
                page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
                if screenshots:
                    page.screenshot(path=screenshots / f"{path.stem}-{width}-{scheme}.png", full_page=True)
            problems += [f"at {width} pixels: {problem}" for problem in page.evaluate(OVERLAPS)]
        interact(page, problems)
        problems += printed(page)
        if screenshots:
            page.emulate_media(media="print")
            page.pdf(path=screenshots / f"{path.stem}.pdf")
        browser.close()
    return problems


def printed(page: Page) -> list[str]:
    """Returns what is wrong on paper, also for readers whose screens are dark: ink that is light, and what is for screens only."""
    page.emulate_media(media="print", color_scheme="dark")
    ink = page.evaluate("getComputedStyle(document.body).color.match(/\\d+/g).map(Number)")
    shown = page.evaluate("[...document.querySelectorAll('.how,nav,.zoom')].filter((it) => it.checkVisibility()).length")
    page.emulate_media(media="screen", color_scheme="light")
    return [*(["ink is light on paper"] if max(ink) > 80 else []), *(["what is for screens is on paper"] if shown else [])]


def interact(page: Page, problems: list[str]) -> None:
    marks = page.locator(".scroll circle:has(title), .scroll rect:has(title)")
    if marks.count():
        marks.first.scroll_into_view_if_needed()
        marks.first.dispatch_event("pointermove", {"bubbles": True, "clientX": 100, "clientY": 100})
        tip = page.locator("#tip")
        if tip.is_hidden() or tip.text_content() != marks.first.locator("title").text_content():
            problems.append("pointing at a mark shows nothing")
    figures = page.locator("figure")
    if figures.count():
        chart = figures.first.locator("svg")
        before = chart.bounding_box()
        figures.first.locator(".zoom button").first.click()
        after = chart.bounding_box()
        if not before or not after or after["width"] < 1.9 * before["width"]:
            problems.append("zooming does not make a chart larger")
        figures.first.locator(".scroll").press("-")
    for details in page.locator("details").all():
        details.evaluate("it => { it.open = true }")
    for table in page.locator("table.sorted").all():
        head = table.locator("th.number").first
        if table.locator("tbody tr").count() < 2 or not head.count():
            continue
        nth = head.evaluate("it => it.cellIndex") + 1
        head.locator("button").click()
        cells = table.locator(f"tbody td:nth-child({nth})")
        values = cells.evaluate_all("all => all.map((it) => Number(it.dataset.value ?? -Infinity))")
        if values != sorted(values, reverse=True):
            problems.append("sorting does not sort")
    search = page.locator(".filter input")
    if search.count():
        search.first.fill("no such row")
        if search.first.locator("xpath=../following-sibling::table[1]").locator("tbody tr:visible").count():
            problems.append("filtering does not filter")

// SPDX-License-Identifier: Apache-2.0
// page_main.js - the sections of a page, from what the program wrote into it.

/** @typedef {{kind: string, title?: string, text?: string, part?: string, chart?: ChartSpec, svg?: string, folded?: boolean}} SectionSpec */
/** @typedef {{title: string, sections: SectionSpec[], parts: PartSpec[], link?: {part: string, field: string, from: string[]},
 *   about: [string, string][]}} PageSpec */

class PageView {
  /** @param {PageSpec} spec */
  constructor(spec) {
    this.spec = spec;
    /** @type {Map<string, Part>} */
    this.parts = new Map(spec.parts.map((p, i) => [p.id, new Part(p, `rows-${i}`)]));
    /** @type {Map<string, HTMLElement>} */
    this.sections = new Map();
    /** Charts and where they stand, to draw them again when the page gets wider or narrower. @type {[HTMLElement, ChartSpec][]} */
    this.charts = [];
  }

  /** @param {string} id @returns {HTMLElement} */
  static element(id) {
    return /** @type {HTMLElement} */ (document.getElementById(id));
  }

  show() {
    linkTarget = this.spec.link || null;
    const main = PageView.element('main');
    main.replaceChildren();
    WIDTH = PageView.chartWidth();
    // tables that links lead to must exist before what leads to them is clicked: all are made at once, folded ones when opened
    for (const section of this.spec.sections) this.add(main, section);
    const footer = PageView.element('footer');
    footer.append(make('dl', {}, ...this.spec.about.flatMap(([name, text]) => [make('dt', {}, name), make('dd', {}, name === 'Date' ? momentText(text) : text)])));
    PageView.element('theme').addEventListener('click', () => {
      const root = document.documentElement, dark = root.dataset.theme ? root.dataset.theme === 'dark' : window.matchMedia('(prefers-color-scheme: dark)').matches;
      root.dataset.theme = dark ? 'light' : 'dark';
    });
    window.addEventListener('resize', () => this.redraw());
  }

  static chartWidth() {
    const main = PageView.element('main'), { paddingLeft, paddingRight } = getComputedStyle(main);
    return Math.max(300, Math.floor(main.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight)));
  }

  redraw() {
    const width = PageView.chartWidth();
    if (width === WIDTH) return;
    WIDTH = width;
    for (const [figure, spec] of this.charts) figure.replaceChildren(...new Chart(spec, this.parts).make());
  }

  /** What has the same title is one section. @param {HTMLElement} main @param {string} title */
  begin(main, title) {
    const before = this.sections.get(title), id = `s-${title.toLowerCase().replace(/[^a-z0-9]+/g, '-') || 'top'}`;
    if (before) return before;
    const section = make('section', { id, 'aria-label': title || 'Summary' });
    if (title) {
      section.append(make('h2', {}, title));
      PageView.element('sections').append(make('a', { href: `#${id}` }, title));
    }
    main.append(section);
    this.sections.set(title, section);
    return section;
  }

  /** @param {HTMLElement} main @param {SectionSpec} spec */
  add(main, spec) {
    const part = spec.part ? this.parts.get(spec.part) : null, facts = part && part.spec.kind === 'facts' ? factList(part.fields, (f) => part.value(f, 0), true) : null;
    if (facts && !facts.children.length) return;
    const section = this.begin(main, spec.title || (part && part.spec.title) || '');
    if (spec.kind === 'text') {
      const columns = (spec.text || '').split('\n').filter((line) => /\S {2,}\S.* {2,}\S/.test(line)).length > 5;
      const text = make('pre', { class: columns ? 'columns' : null, tabindex: 0, 'aria-label': `Text: ${spec.title || 'Summary'}`, role: 'region' }, spec.text || '');
      section.append(spec.folded ? make('details', {}, make('summary', {}, 'What the terminal shows'), text) : text);
    }
    if (spec.folded) section.classList.add('behind');
    if (spec.kind === 'picture') section.append(make('figure', {}, make('img', { src: `data:image/svg+xml;base64,${spec.svg}`, alt: spec.title })));
    if (spec.kind === 'chart' && spec.chart) this.chart(section, spec.chart);
    if (facts) section.append(facts);
    else if (spec.kind === 'part' && part) this.table(section, part);
  }

  /** @param {HTMLElement} section @param {ChartSpec} spec */
  chart(section, spec) {
    if (spec.help) section.append(make('p', { class: 'help' }, spec.help));
    const figure = make('figure', { 'aria-label': spec.title }, ...new Chart(spec, this.parts).make());
    section.append(figure);
    this.charts.push([figure, spec]);
  }

  /** @param {HTMLElement} section @param {Part} part */
  table(section, part) {
    if (part.spec.help) section.append(make('p', { class: 'help' }, part.spec.help));
    if (part.count > ROWS_AT_ONCE) section.classList.add('long');
    if (part.count === 0) {
      section.append(make('p', { class: 'help' }, 'None.'));
    } else if (part.spec.folded) {
      const fold = make('details', { class: 'behind' }, make('summary', {}, `Table: ${part.spec.title || part.spec.id}, ${rowsText(part.count)}`));
      fold.addEventListener('toggle', () => { if (!tables.has(part.spec.id)) fold.append(new Table(part).element); }, { once: true });
      section.append(fold);
    } else {
      section.append(new Table(part).element);
    }
  }
}

{
  const text = PageView.element('page').textContent || '{}';
  const started = performance.now();
  const view = new PageView(JSON.parse(text));
  view.show();
  document.documentElement.dataset.ready = (performance.now() - started).toFixed(0);
}

// The live report: figures, other axes, and new records as they come.
'use strict';

(() => {
  const REFRESH_MS = 1500;
  const standing = DZ.byId('standing');
  let shown = Number(standing.dataset.record);
  let page = null;
  let drawn = [];

  const AXES = {
    cycle: null,
    time: ['time_ms', 'wall time (min)', 60000],
    games: ['games', 'self-play games', 1],
    rows: ['rows', 'rows trained', 1],
    evaluations: ['evaluations', 'network evaluations', 1],
    generation: ['generation', 'generation', 1],
  };

  /** How places on a figure's axis become places on the chosen one. */
  const axisOf = (figure) => {
    const log = DZ.byId('axis-log').checked;
    const own = { map: (x) => x, label: figure.x.label, log, changed: false };
    const chosen = AXES[DZ.byId('axis-x').value];
    if (!chosen || figure.x.label !== 'cycle') return own;
    const [key, label, unit] = chosen;
    const at = new Map(page.cycles.map((cycle) => [cycle.cycle, cycle[key] / unit]));
    return { map: (x) => (at.has(x) ? at.get(x) : null), label, log, changed: true };
  };

  const drawAll = () => {
    drawn.forEach((plot) => plot.destroy());
    drawn = [];
    if (!page) return;
    const see = new IntersectionObserver((entries) => {
      for (const entry of entries) {
        if (!entry.isIntersecting || entry.target.clientWidth === 0) continue;
        see.unobserve(entry.target);
        const figure = page.figures[Number(entry.target.dataset.figure)];
        drawn.push(DZChart.draw(entry.target, figure, axisOf(figure)));
      }
    }, { rootMargin: '600px' });
    for (const holder of document.querySelectorAll('#report-body .plot')) see.observe(holder);
    drawn.push({ destroy: () => see.disconnect(), redraw: () => {} });
  };

  /** Puts a part of the page into the place of the old one; folded parts stay as they are. */
  const replace = (id, markup) => {
    const holder = DZ.byId(id);
    const open = [...holder.querySelectorAll('details')].map((details) => details.open);
    const checked = holder.querySelector('input[name="over"]:checked');
    holder.innerHTML = markup;
    holder.querySelectorAll('details').forEach((details, at) => { details.open = Boolean(open[at]); });
    const again = checked && holder.querySelector(`#${checked.id}`);
    if (again) again.checked = true;
  };

  let running = false;
  let wanted = 0;
  const refresh = async () => {
    if (running) return;
    running = true;
    try {
      // The page itself came with the markup of its record.
      const fresh = await DZ.get(DZ.runLink(page === null ? `/live.json?known=${shown}` : '/live.json'));
      page = fresh.page;
      if (page.body !== undefined && fresh.record !== shown) {
        const top = scrollY;
        replace('report-head', page.head);
        replace('report-contents', page.contents);
        replace('report-body', page.body);
        scrollTo(0, top);
      }
      shown = fresh.record;
      document.body.dataset.record = shown;
      drawAll();
    } catch (error) {
      say('bad', error.message);
    } finally {
      running = false;
    }
    if (wanted > shown) setTimeout(refresh, REFRESH_MS);
  };

  const say = (kind, text) => {
    DZ.byId('standing-dot').className = `dot ${kind}`;
    DZ.byId('standing-text').textContent = text;
  };

  const follow = () => {
    const events = new EventSource(DZ.runLink('/events'));
    events.addEventListener('standing', (event) => {
      const { live, error } = JSON.parse(event.data);
      if (error) { say('bad', `The run cannot be read: ${error}`); return; }
      if (!live) return;
      standing.dataset.record = live.record;
      const state = live.driven_by ? 'running' : live.stages.length ? 'stages run by hand' : 'not running';
      say(live.driven_by || live.stages.length ? 'on' : 'off',
        `${state} · ${live.cycles_done}${live.cycles ? ` of ${live.cycles}` : ''} cycles · ${live.turn} · record ${live.record}`);
      const lines = [...live.progress, ...live.paused.map((line) => `paused: ${line}`)];
      DZ.byId('progress').replaceChildren(...lines.map((line) => {
        const done = /(\d[\d,]*)\/(\d[\d,]*)/.exec(line);
        const share = done ? Number(done[1].replaceAll(',', '')) / Number(done[2].replaceAll(',', '')) : null;
        return DZ.el('div', { class: 'progress' }, DZ.el('span', {}, line),
          share === null ? null : DZ.el('progress', { max: 1, value: share, 'aria-label': line }));
      }));
      if (live.record !== shown) {
        wanted = live.record;
        refresh();
      }
    });
    events.onerror = () => say('bad', 'The server does not answer; trying again ...');
  };

  DZ.byId('axis-x').addEventListener('change', () => {
    const over = DZ.byId('axis-x').value;
    const radio = DZ.byId(`over-${{ '': 'time', cycle: 'generation' }[over] || over}`);
    if (radio) radio.checked = true;
    drawAll();
  });
  DZ.byId('axis-log').addEventListener('change', drawAll);
  document.addEventListener('change', (event) => { if (event.target.name === 'over') drawAll(); });
  DZ.onScheme(() => drawn.forEach((plot) => plot.redraw()));
  refresh();
  follow();
})();

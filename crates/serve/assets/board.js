// Boards of all games, to look at and to play on.
'use strict';

const DZBoard = (() => {
  const CELL = 40;
  const HALF = CELL / 2;

  const middle = (shape, [x, y]) => (shape.kind === 'hexagons'
    ? [CELL * (x + y / 2 + 0.6), CELL * (y * 0.866 + 0.68)]
    : [CELL * (x + 0.5), CELL * (y + 0.5)]);

  const size = (shape) => (shape.kind === 'hexagons'
    ? [CELL * (shape.width + (shape.height - 1) / 2 + 0.2), CELL * (shape.height * 0.866 + 0.5)]
    : [CELL * shape.width, CELL * shape.height]);

  const corners = (cx, cy, radius) => [0, 1, 2, 3, 4, 5].map((k) => {
    const angle = ((60 * k - 90) * Math.PI) / 180;
    return [cx + radius * Math.cos(angle), cy + radius * Math.sin(angle)];
  });

  const points = (list) => list.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join(' ');

  /** Star points of Go and Gomoku boards. */
  const stars = ({ width, height }) => {
    if (width !== height || width < 7) return [];
    const edge = width >= 13 ? 3 : 2;
    const lines = width % 2 ? [edge, (width - 1) / 2, width - 1 - edge] : [edge, width - 1 - edge];
    const all = lines.flatMap((x) => lines.map((y) => [x, y]));
    return width >= 13 ? all : all.filter(([x, y]) => (x !== lines[1]) === (y !== lines[1]) || lines.length === 2);
  };

  const ground = (shape) => {
    const group = DZ.svg('g', { 'aria-hidden': 'true' });
    const [width, height] = size(shape);
    const add = (name, attributes) => group.append(DZ.svg(name, attributes));
    if (shape.kind === 'stones') {
      add('rect', { class: 'wood', x: -5, y: -5, width: width + 10, height: height + 10, rx: 5 });
      let d = '';
      for (let x = 0; x < shape.width; x++) d += `M${CELL * x + HALF} ${HALF}V${height - HALF}`;
      for (let y = 0; y < shape.height; y++) d += `M${HALF} ${CELL * y + HALF}H${width - HALF}`;
      add('path', { class: 'lines', d });
      for (const at of stars(shape)) { const [cx, cy] = middle(shape, at); add('circle', { class: 'star', cx, cy, r: 3.2 }); }
    } else if (shape.kind === 'hexagons') {
      const radius = CELL * 0.577;
      const edges = [];
      for (let y = 0; y < shape.height; y++) {
        for (let x = 0; x < shape.width; x++) {
          const all = corners(...middle(shape, [x, y]), radius);
          add('polygon', { class: 'cell', points: points(all) });
          const edge = (side, of) => edges.push([shape.colours[side], `M${points(of.map((k) => all[k])).replaceAll(' ', 'L')}`]);
          if (y === 0) edge(0, [5, 0, 1]);
          if (y === shape.height - 1) edge(0, [2, 3, 4]);
          if (x === 0) edge(1, [3, 4, 5]);
          if (x === shape.width - 1) edge(1, [0, 1, 2]);
        }
      }
      // A rim sets both colours off from the page, which may be as dark or as light.
      edges.forEach(([, d]) => add('path', { class: 'edge rim', d }));
      edges.forEach(([colour, d]) => add('path', { class: `edge ${colour}`, d }));
    } else if (shape.kind === 'drops') {
      add('rect', { class: 'rack', width, height, rx: 8 });
      for (let y = 0; y < shape.height; y++) for (let x = 0; x < shape.width; x++) { const [cx, cy] = middle(shape, [x, y]); add('circle', { class: 'hole', cx, cy, r: 16 }); }
    } else if (shape.kind === 'pieces' || shape.kind === 'token') {
      for (let y = 0; y < shape.height; y++) for (let x = 0; x < shape.width; x++) add('rect', { class: (x + y) % 2 ? 'dark-square' : 'light-square', x: CELL * x, y: CELL * y, width: CELL, height: CELL });
    } else {
      add('rect', { class: shape.kind === 'discs' ? 'felt' : 'field', width, height, rx: 4 });
      let d = '';
      for (let x = 0; x <= shape.width; x++) d += `M${CELL * x} 0V${height}`;
      for (let y = 0; y <= shape.height; y++) d += `M0 ${CELL * y}H${width}`;
      add('path', { class: 'lines', d });
    }
    return group;
  };

  /** The colour of a sign of the board. */
  const colourOf = (shape, sign) => shape.colours[sign === 'X' ? 0 : 1];

  const piece = (shape, sign, at) => {
    const [x, y] = middle(shape, at);
    if (shape.kind === 'pieces' || shape.kind === 'token') {
      if (sign === '*') return DZ.svg('circle', { class: 'token', cx: x, cy: y, r: 14 });
      return DZPieces.draw(sign, x - HALF + 1, y - HALF + 1, CELL - 2);
    }
    if (shape.kind === 'signs') {
      return sign === 'X'
        ? DZ.svg('path', { class: 'sign', d: `M${x - 11} ${y - 11}L${x + 11} ${y + 11}M${x + 11} ${y - 11}L${x - 11} ${y + 11}` })
        : DZ.svg('circle', { class: 'sign', cx: x, cy: y, r: 12 });
    }
    const radius = { stones: 18.5, hexagons: 14, drops: 16, discs: 17 }[shape.kind];
    return DZ.svg('circle', { class: `stone ${colourOf(shape, sign)}`, cx: x, cy: y, r: radius });
  };

  const pieceName = (shape, sign) => {
    if (sign === '.' || sign === undefined) return 'empty';
    if (shape.kind === 'pieces') return DZPieces.name(sign);
    return sign === 'X' ? shape.sides[0] : sign === 'O' ? shape.sides[1] : sign;
  };

  const placeName = (shape, [x, y]) => {
    if (shape.columns.length && shape.rows.length) return shape.columns[x] + shape.rows[y];
    return `row ${y + 1}, column ${x + 1}`;
  };

  /** A board in `holder`. */
  const make = (holder, shape) => {
    const [width, height] = size(shape);
    const flipped = { on: false };
    const rim = shape.kind === 'hexagons' ? 14 : 6;
    // Names of rows and columns are read on a phone too: they grow with the board.
    const letter = Math.min(22, Math.max(7, width / 30));
    const pad = { left: shape.rows.length ? 1.7 * letter + rim : rim, right: rim, top: rim + 2, bottom: rim + 2 };
    const above = shape.rows[0] === '1';
    if (shape.columns.length) { if (above) pad.top = 1.4 * letter + rim; else pad.bottom = 1.5 * letter + rim; }
    const root = DZ.svg('svg', {
      class: `dz-board ${shape.kind}`, role: 'group',
      viewBox: `${-pad.left} ${-pad.top} ${width + pad.left + pad.right} ${height + pad.top + pad.bottom}`,
    });
    if (shape.kind === 'text') {
      const text = DZ.el('pre', { class: 'text-board' });
      holder.replaceChildren(text);
      return { show: ({ cells }) => { text.textContent = cells; }, flip: () => {} };
    }
    holder.replaceChildren(root);
    let cursor = [Math.floor(shape.width / 2), Math.floor(shape.height / 2)];
    let state = null;
    let picked = null;

    const seen = ([x, y]) => (flipped.on ? [shape.width - 1 - x, shape.height - 1 - y] : [x, y]);

    const names = () => {
      const group = DZ.svg('g', { class: 'names', 'font-size': letter.toFixed(1), 'aria-hidden': 'true' });
      shape.columns.forEach((text, x) => {
        const row = above ? 0 : shape.height - 1;
        const [cx] = middle(shape, [seen([x, 0])[0], row]);
        group.append(DZ.svg('text', { x: cx, y: above ? -0.3 * letter - rim : height + 0.95 * letter + rim }, text));
      });
      shape.rows.forEach((text, y) => {
        const [x, cy] = middle(shape, [0, seen([0, y])[1]]);
        group.append(DZ.svg('text', { x: x - HALF - 0.75 * letter - rim, y: cy + 0.35 * letter }, text));
      });
      return group;
    };

    const movesTo = ([x, y]) => state.legal.filter((mv) => mv.to
      && (shape.kind === 'drops' ? mv.to[0] === x : mv.to[0] === x && mv.to[1] === y));

    /** A point was chosen: a move, or the first half of one. */
    const choose = (at) => {
      if (!state || !state.onMove) return;
      const here = movesTo(at);
      const pairs = state.legal.some((mv) => mv.from);
      if (!pairs) { if (here.length) state.onMove(here[0].name); else if (state.onNothing) state.onNothing(placeName(shape, at)); return; }
      const from = (mv) => picked && mv.from && mv.from[0] === picked[0] && mv.from[1] === picked[1];
      const moves = here.filter(from);
      if (moves.length === 1) { picked = null; state.onMove(moves[0].name); return; }
      if (moves.length > 1) { if (state.onChoice) state.onChoice(moves); return; }
      const starts = state.legal.some((mv) => mv.from && mv.from[0] === at[0] && mv.from[1] === at[1]);
      picked = starts && !(picked && picked[0] === at[0] && picked[1] === at[1]) ? at : null;
      paint();
    };

    const step = (dx, dy) => {
      const sign = flipped.on ? -1 : 1;
      const x = Math.min(shape.width - 1, Math.max(0, cursor[0] + sign * dx));
      const y = Math.min(shape.height - 1, Math.max(0, cursor[1] + sign * dy));
      cursor = [x, y];
      const cell = root.querySelector(`[data-x="${x}"][data-y="${y}"]`);
      root.querySelectorAll('.point[tabindex="0"]').forEach((other) => other.setAttribute('tabindex', '-1'));
      if (cell) { cell.setAttribute('tabindex', '0'); cell.focus(); }
    };

    root.addEventListener('keydown', (event) => {
      const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
      if (!state || !state.onMove) return;
      if (way) { event.preventDefault(); step(...way); }
      if (event.key === 'Enter' || event.key === ' ') { event.preventDefault(); choose(cursor); }
      if (event.key === 'Escape') { picked = null; paint(); }
    });

    const heat = (overlay) => {
      const group = DZ.svg('g', { class: 'heat', 'aria-hidden': 'true' });
      const most = Math.max(...overlay.map((entry) => entry.share), 1e-9);
      overlay.slice(0, 60).forEach(({ move, share }, rank) => {
        if (!move.to || share < 0.004) return;
        const [x, y] = middle(shape, seen(move.to));
        if (move.from) {
          if (rank >= 6) return;
          const [ax, ay] = middle(shape, seen(move.from));
          group.append(DZ.svg('path', { class: 'arrow', 'stroke-width': 2 + 10 * share, d: `M${ax} ${ay}L${x} ${y}` }),
            DZ.svg('circle', { class: 'spot', cx: x, cy: y, r: 10, 'fill-opacity': 0.85 }));
        } else {
          group.append(DZ.svg('circle', { class: 'spot', cx: x, cy: y, r: 10 + 6 * (share / most), 'fill-opacity': 0.4 + 0.55 * (share / most) }));
        }
        if (share >= 0.01) group.append(DZ.svg('text', { class: 'share', x, y: y + 4 }, (100 * share).toFixed(0)));
      });
      return group;
    };

    const owners = (ownership) => {
      const group = DZ.svg('g', { class: 'owners', 'aria-hidden': 'true' });
      ownership.forEach((value, i) => {
        if (!value) return;
        const [x, y] = middle(shape, seen([i % shape.width, Math.floor(i / shape.width)]));
        const r = 9 * Math.sqrt(Math.min(1, Math.abs(value)));
        group.append(DZ.svg('rect', { class: `owner ${shape.colours[value > 0 ? 0 : 1]}`, x: x - r, y: y - r, width: 2 * r, height: 2 * r }));
      });
      return group;
    };

    const paint = () => {
      const { cells, last, legal, overlay, ownership, label, isNew } = state;
      root.setAttribute('aria-label', label || 'Board');
      const parts = [ground(shape), names()];
      const marks = DZ.svg('g', { 'aria-hidden': 'true' });
      if (shape.kind === 'pieces' || shape.kind === 'token') {
        for (const at of [...last, ...(picked ? [picked] : [])]) {
          const [x, y] = middle(shape, seen(at));
          marks.append(DZ.svg('rect', { class: picked && at === picked ? 'picked' : 'last-square', x: x - HALF, y: y - HALF, width: CELL, height: CELL }));
        }
      }
      parts.push(marks);
      const pieces = DZ.svg('g', { class: 'pieces' });
      const newest = last.length ? last[last.length - 1] : null;
      for (let i = 0; i < cells.length; i++) {
        if (cells[i] === '.') continue;
        const at = [i % shape.width, Math.floor(i / shape.width)];
        const made = piece(shape, cells[i], seen(at));
        if (isNew && shape.kind === 'drops' && newest && newest[0] === at[0] && newest[1] === at[1]) {
          made.classList.add('falls');
          made.style.setProperty('--from', `${-CELL * (at[1] + 1)}px`);
        }
        pieces.append(made);
      }
      parts.push(pieces);
      if (newest && !['pieces', 'token'].includes(shape.kind)) {
        const [cx, cy] = middle(shape, seen(newest));
        const sign = cells[newest[1] * shape.width + newest[0]];
        parts.push(DZ.svg('circle', { class: `last on-${colourOf(shape, sign)}`, cx, cy, r: 7 }));
      }
      if (picked && !['pieces', 'token'].includes(shape.kind)) {
        const [cx, cy] = middle(shape, seen(picked));
        parts.push(DZ.svg('circle', { class: 'picked-ring', cx, cy, r: 17 }));
      }
      if (ownership) parts.push(owners(ownership));
      if (overlay && overlay.length) parts.push(heat(overlay));
      if (state.onMove) parts.push(targets(legal, cells));
      root.replaceChildren(...parts);
      root.classList.toggle('playable', Boolean(state.onMove));
    };

    /** What can be pressed: one element a point, or a column. */
    const targets = (legal, cells) => {
      const had = root.contains(document.activeElement);
      const group = DZ.svg('g', { class: 'points' });
      const hinted = picked ? legal.filter((mv) => mv.from && mv.from[0] === picked[0] && mv.from[1] === picked[1]) : [];
      const drops = shape.kind === 'drops';
      if (drops) cursor = [cursor[0], 0];
      for (let y = 0; y < (drops ? 1 : shape.height); y++) {
        for (let x = 0; x < shape.width; x++) {
          const at = [x, y];
          const [cx, cy] = middle(shape, seen(at));
          const playable = legal.some((mv) => (mv.from ? mv.from[0] === x && mv.from[1] === y : mv.to && mv.to[0] === x && (drops || mv.to[1] === y)))
            || hinted.some((mv) => mv.to[0] === x && mv.to[1] === y);
          const chosen = picked && picked[0] === x && picked[1] === y;
          const text = drops ? `column ${x + 1}${playable ? '' : ', full'}` : `${placeName(shape, at)}, ${pieceName(shape, cells[y * shape.width + x])}`;
          const here = cursor[0] === x && cursor[1] === y;
          const point = DZ.svg('g', {
            class: `point${playable ? ' legal' : ''}`, role: 'button', 'aria-label': text, 'aria-disabled': playable ? null : 'true', 'aria-pressed': chosen ? 'true' : null,
            tabindex: here ? '0' : '-1', 'data-x': x, 'data-y': y,
            on: { click: () => { cursor = at; choose(at); }, focus: () => { cursor = at; } },
          });
          if (drops) point.append(DZ.svg('rect', { x: cx - HALF, y: 0, width: CELL, height, rx: 6 }));
          else if (shape.kind === 'hexagons') point.append(DZ.svg('polygon', { points: points(corners(cx, cy, CELL * 0.53)) }));
          else point.append(DZ.svg('rect', { x: cx - HALF, y: cy - HALF, width: CELL, height: CELL }));
          if (hinted.some((mv) => mv.to[0] === x && mv.to[1] === y)) point.append(DZ.svg('circle', { class: 'goal', cx, cy, r: 7 }));
          group.append(point);
        }
      }
      if (had) queueMicrotask(() => { const cell = root.querySelector('.point[tabindex="0"]'); if (cell) cell.focus(); });
      return group;
    };

    return {
      /** Shows a position; `onMove` is called with the name of a move that was chosen. */
      show: (next) => {
        state = { last: [], legal: [], overlay: null, ownership: null, ...next };
        picked = null;
        paint();
      },
      flip: (on) => { flipped.on = on === undefined ? !flipped.on : on; if (state) paint(); },
    };
  };

  return { make };
})();

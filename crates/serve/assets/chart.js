// Figures of reports, drawn by uPlot: values under the pointer, zoom, other x axes.
'use strict';

const DZChart = (() => {
  const HEIGHT = 300;
  const HEIGHT_NARROW = 240;

  /** All places on the x axis, ascending, and the values of each curve there. */
  const aligned = (figure, mapX) => {
    const xs = new Set();
    const curves = figure.curves.map((curve) => {
      const at = new Map();
      curve.x.forEach((x, i) => {
        const place = mapX(x);
        if (place === null || !Number.isFinite(place)) return;
        xs.add(place);
        at.set(place, i);
      });
      return at;
    });
    const all = [...xs].sort((a, b) => a - b);
    const data = [all];
    const series = [];
    figure.curves.forEach((curve, c) => {
      const values = (of) => all.map((x) => (curves[c].has(x) ? of[curves[c].get(x)] : null));
      if (curve.low.length > 0 && (curve.style === 'band' || curve.style === 'shade')) {
        series.push({ curve, part: 'high' }, { curve, part: 'low' });
        data.push(values(curve.high), values(curve.low));
      }
      if (curve.style !== 'shade') {
        series.push({ curve, part: 'line', low: values(curve.low), high: values(curve.high) });
        data.push(values(curve.y));
      }
    });
    return { data, series, all };
  };

  const short = (value) => {
    if (value === null || value === undefined) return '–';
    const size = Math.abs(value);
    if (size >= 1e9) return `${+(value / 1e9).toPrecision(4)} G`;
    if (size >= 1e6) return `${+(value / 1e6).toPrecision(4)} M`;
    if (size >= 1e4) return `${+(value / 1e3).toPrecision(4)} k`;
    return String(+value.toPrecision(4));
  };

  /** Lines and crosses that are not curves, and error bars. */
  const extras = (figure, series, all, mapX) => (u) => {
    const { ctx, bbox } = u;
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    ctx.lineWidth = devicePixelRatio;
    ctx.font = `${11 * devicePixelRatio}px system-ui, sans-serif`;
    for (const level of figure.levels) {
      const y = u.valToPos(level.height, 'y', true);
      ctx.strokeStyle = ctx.fillStyle = DZ.colour(level.colour);
      ctx.setLineDash([4 * devicePixelRatio, 4 * devicePixelRatio]);
      ctx.beginPath(); ctx.moveTo(bbox.left, y); ctx.lineTo(bbox.left + bbox.width, y); ctx.stroke();
      ctx.textAlign = 'right';
      // The colour of the page around the letters keeps curves off them.
      ctx.setLineDash([]);
      ctx.lineWidth = 4 * devicePixelRatio;
      ctx.strokeStyle = DZ.colour('page');
      const [x, base] = [bbox.left + bbox.width - 4, y - 5 * devicePixelRatio];
      ctx.strokeText(level.name, x, base);
      ctx.fillText(level.name, x, base);
      ctx.lineWidth = devicePixelRatio;
    }
    for (const mark of figure.marks) {
      const place = mapX(mark.x);
      if (place === null) continue;
      const x = u.valToPos(place, 'x', true);
      ctx.strokeStyle = DZ.colour(mark.colour);
      ctx.setLineDash([2 * devicePixelRatio, 3 * devicePixelRatio]);
      ctx.beginPath(); ctx.moveTo(x, bbox.top); ctx.lineTo(x, bbox.top + bbox.height); ctx.stroke();
    }
    ctx.setLineDash([]);
    ctx.strokeStyle = DZ.colour('red');
    for (const cross of figure.crosses) {
      const place = mapX(cross);
      if (place === null) continue;
      const x = u.valToPos(place, 'x', true);
      const y = bbox.top + bbox.height - 8 * devicePixelRatio;
      const r = 3.5 * devicePixelRatio;
      ctx.beginPath();
      ctx.moveTo(x - r, y - r); ctx.lineTo(x + r, y + r); ctx.moveTo(x + r, y - r); ctx.lineTo(x - r, y + r);
      ctx.stroke();
    }
    for (const { curve, part, low, high } of series) {
      if (part !== 'line' || curve.style !== 'bars') continue;
      ctx.strokeStyle = DZ.colour(curve.colour);
      ctx.lineWidth = 1.5 * devicePixelRatio;
      all.forEach((value, i) => {
        if (low[i] === null || low[i] === undefined) return;
        const x = u.valToPos(value, 'x', true);
        ctx.beginPath();
        ctx.moveTo(x, u.valToPos(low[i], 'y', true)); ctx.lineTo(x, u.valToPos(high[i], 'y', true));
        ctx.stroke();
      });
    }
    ctx.restore();
    ctx.save();
    // Rings are points that are not settled yet. At the edges they may stand out of the frame.
    for (const { curve, part } of series) {
      if (part !== 'line') continue;
      for (const i of curve.hollow) {
        const place = mapX(curve.x[i]);
        const { min, max } = u.scales.x;
        if (place === null || place < min || place > max) continue;
        ctx.fillStyle = DZ.colour('page');
        ctx.strokeStyle = DZ.colour(curve.colour);
        ctx.lineWidth = 2 * devicePixelRatio;
        ctx.beginPath();
        ctx.arc(u.valToPos(place, 'x', true), u.valToPos(curve.y[i], 'y', true), 4.5 * devicePixelRatio, 0, 2 * Math.PI);
        ctx.fill(); ctx.stroke();
      }
    }
    ctx.restore();
  };

  const range = (figure) => (u, low, high) => {
    const values = [low, high, figure.y.include].filter((v) => v !== null && v !== undefined && Number.isFinite(v));
    if (values.length === 0) return [0, 1];
    let [least, most] = [Math.min(...values), Math.max(...values)];
    for (const { height } of figure.levels) {
      if (height >= least - (most - least) && height <= most + (most - least)) {
        least = Math.min(least, height); most = Math.max(most, height);
      }
    }
    const room = (most - least || Math.abs(most) || 1) * 0.06;
    return [least === figure.y.include && least === 0 ? 0 : least - room, most + room];
  };

  const seriesOf = ({ curve, part }) => {
    const stroke = () => DZ.colour(curve.colour);
    if (part !== 'line') return { label: `${curve.name} ${part}`, stroke: 'transparent', points: { show: false }, spanGaps: true, class: 'hidden-legend' };
    const line = curve.style !== 'bars';
    const points = curve.style === 'bars' || (curve.style !== 'plain' && curve.x.length <= 60);
    return {
      label: curve.name,
      stroke: line ? stroke : 'transparent',
      width: line ? 2 : 0,
      dash: curve.style === 'dashed' ? [7, 4] : undefined,
      spanGaps: true,
      value: (u, value) => short(value),
      points: { show: points, size: 6, stroke, fill: stroke },
    };
  };

  /**
   * Draws a figure into `holder`. `axis` has `map` (place on the figure's x axis to place on the
   * shown one), `label` and `log`. Returns `destroy` and `redraw`.
   */
  const draw = (holder, figure, axis) => {
    const { data, series, all } = aligned(figure, axis.map);
    if (all.length === 0) {
      holder.replaceChildren(DZ.el('p', { class: 'none' }, 'There is nothing to draw on this axis.'));
      return { destroy: () => {}, redraw: () => {} };
    }
    const bands = [];
    series.forEach(({ curve, part }, i) => {
      if (part === 'high') bands.push({ series: [i + 1, i + 2], fill: () => `color-mix(in srgb, ${DZ.colour(curve.colour)} 20%, transparent)` });
    });
    const axisStyle = (label, size) => ({
      label, labelSize: 20, labelGap: 0, size, stroke: () => DZ.colour('muted'), labelFont: '12px system-ui, sans-serif', font: '12px system-ui, sans-serif',
      grid: { stroke: () => DZ.colour('grid'), width: 1 }, ticks: { stroke: () => DZ.colour('grid'), width: 1 },
    });
    const log = axis.log && all[0] > 0;
    const height = holder.clientWidth < 480 ? HEIGHT_NARROW : HEIGHT;
    const whole = figure.x.whole && !axis.changed;
    const options = {
      width: Math.max(200, holder.clientWidth), height,
      scales: { x: { time: false, distr: log ? 3 : 1 }, y: { range: range(figure) } },
      series: [{ label: axis.label, value: (u, value) => short(value) }, ...series.map(seriesOf)],
      bands,
      axes: [
        { ...axisStyle(axis.label, 34), space: 64, incrs: whole ? [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 1e6] : undefined },
        { ...axisStyle(figure.y.label, 58), values: (u, values) => values.map((value) => (value === null ? '' : short(value))) },
      ],
      cursor: { drag: { x: true, y: false }, points: { size: 8 } },
      legend: { live: true },
      hooks: { draw: [extras(figure, series, all, axis.map)] },
    };
    holder.replaceChildren();
    const plot = new uPlot(options, data, holder);
    const notes = [
      figure.hollow && `○ ${figure.hollow}`,
      figure.crosses.length > 0 && '✕ candidate refused',
      ...new Set(figure.marks.map((mark) => `┆ ${mark.name}`)),
    ].filter(Boolean);
    if (notes.length) holder.append(DZ.el('p', { class: 'sub ring-note' }, notes.join(' · ')));
    // The bounds of bands belong to their curve and have no line of their own in the key.
    const rows = holder.querySelectorAll('.u-legend .u-series');
    series.forEach(({ part }, i) => { if (part !== 'line' && rows[i + 1]) rows[i + 1].hidden = true; });
    const resize = new ResizeObserver(() => {
      if (holder.clientWidth > 0 && holder.clientWidth !== plot.width) plot.setSize({ width: holder.clientWidth, height });
    });
    resize.observe(holder);
    return { destroy: () => { resize.disconnect(); plot.destroy(); }, redraw: () => plot.redraw(false, true) };
  };

  return { draw, short };
})();

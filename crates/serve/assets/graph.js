// A search drawn as a graph: layers by plies, edges by moves, transpositions as rings.
'use strict';

const DZGraph = (() => {
  const LAYER = 150;
  const LAYER_MIN = 26;
  const TOP = 34;
  /** Canvases beyond some 16,000 pixels are not drawn by browsers. */
  const PIXELS_MAX = 16000;
  const WIDTH_MAX = 8000;
  /** Share of the window's height that the frame may take, as in the style sheet. */
  const FRAME_HEIGHT = 0.72;
  const ZOOM_STEP = 1.5;

  /** Places of the nodes that are shown: those with most visits, and their ancestors. */
  const layout = (nodes, cap, extra) => {
    const parents = new Map();
    for (const node of nodes) for (const edge of node.edges) {
      if (!parents.has(edge.child)) parents.set(edge.child, []);
      parents.get(edge.child).push(node.node);
    }
    const depth = (node) => node.line.length;
    const byVisits = [...nodes].sort((a, b) => b.visits - a.visits || a.node - b.node);
    const shown = new Set([0]);
    const add = (node) => {
      // The way to the root along a shortest line.
      let at = node;
      while (at && !shown.has(at.node)) {
        shown.add(at.node);
        const up = (parents.get(at.node) || []).map((number) => nodes[number]).filter((parent) => depth(parent) < depth(at));
        up.sort((a, b) => b.visits - a.visits);
        at = up[0];
      }
    };
    for (const node of byVisits) { if (shown.size >= cap) break; add(node); }
    for (const number of extra) if (nodes[number]) add(nodes[number]);
    const layers = [];
    for (const number of shown) {
      const at = depth(nodes[number]);
      (layers[at] = layers[at] || []).push(number);
    }
    const place = new Map();
    const order = layers.map((layer) => layer || []);
    order.forEach((layer, at) => {
      if (at > 0) {
        const middle = (number) => {
          const up = (parents.get(number) || []).filter((parent) => place.has(parent) && depth(nodes[parent]) < at);
          return up.length ? up.reduce((sum, parent) => sum + place.get(parent)[0], 0) / up.length : 0.5;
        };
        const middles = new Map(layer.map((number) => [number, middle(number)]));
        layer.sort((a, b) => middles.get(a) - middles.get(b) || nodes[b].visits - nodes[a].visits || a - b);
      }
      layer.forEach((number, i) => place.set(number, [(i + 0.5) / layer.length, at]));
    });
    const several = new Set();
    for (const [child, up] of parents) if (new Set(up).size > 1) several.add(child);
    return { place, layers: order, parents, several };
  };

  /** A drawing in `canvas`; `onPick` is called with the number of a node, `onZoom` with the zoom: 1 fits into the frame. */
  const make = (canvas, onPick, onZoom) => {
    const frame = canvas.parentElement;
    let nodes = [];
    let laid = null;
    let state = { visits: null, values: null, path: [], picked: 0, labels: true };
    let width = 800;
    let height = 400;
    let gap = LAYER;
    let scale = 1;
    let zoom = 1;
    let cap = 200;
    let extra = [];

    const at = (number) => {
      const [share, layer] = laid.place.get(number);
      return [16 + share * (width - 32), TOP + layer * gap];
    };
    const most = () => Math.max(1, nodes.length ? nodes[0].visits : 1);
    /** Nodes shrink in layers where they would hide each other. */
    const scaleOf = (number) => {
      const layer = laid.layers[laid.place.get(number)[1]];
      return Math.max(0.3, Math.min(scale, (width - 32) / layer.length / 12));
    };
    const radius = (number, visits) => scaleOf(number) * (3.5 + 15 * Math.sqrt(visits / most()));

    const mix = (value) => {
      const share = Math.min(1, Math.abs(value)) ** 0.6;
      return `color-mix(in srgb, ${DZ.colour(value >= 0 ? 'graph-first' : 'graph-second')} ${Math.round(100 * share)}%, ${DZ.colour('graph-even')})`;
    };

    const zoomMost = () => Math.max(1, WIDTH_MAX / Math.max(280, frame.clientWidth));

    const fit = () => {
      const steps = Math.max(1, laid.layers.length - 1);
      width = Math.min(WIDTH_MAX, Math.max(280, frame.clientWidth) * zoom);
      const fitting = (FRAME_HEIGHT * innerHeight - 2 * TOP) / steps;
      gap = Math.min(1.5 * LAYER, Math.max(LAYER_MIN, Math.min(LAYER, fitting)) * Math.sqrt(zoom));
      height = TOP * 2 + steps * gap;
      scale = Math.max(0.3, Math.min(1, gap / 50));
      canvas.style.width = `${width}px`;
      canvas.style.height = `${height}px`;
      const pixels = Math.min(devicePixelRatio || 1, PIXELS_MAX / width, PIXELS_MAX / height);
      canvas.width = Math.round(width * pixels);
      canvas.height = Math.round(height * pixels);
      const context = canvas.getContext('2d');
      context.setTransform(pixels, 0, 0, pixels, 0, 0);
      return context;
    };

    const draw = () => {
      if (!laid) return;
      const begun = performance.now();
      const context = fit();
      const visitsOf = (number) => (state.visits ? state.visits.get(number) || 0 : nodes[number].visits);
      const valueOf = (number) => (state.values && state.values.has(number) ? state.values.get(number) : nodes[number].value);
      const onPath = new Set();
      for (let i = 1; i < state.path.length; i++) onPath.add(`${state.path[i - 1]} ${state.path[i]}`);
      context.clearRect(0, 0, width, height);
      context.font = '11px system-ui, sans-serif';
      context.textAlign = 'center';
      context.textBaseline = 'middle';
      const ink = DZ.colour('ink');
      const muted = DZ.colour('muted');
      const green = DZ.colour('green');
      const page = DZ.colour('page');
      const purple = DZ.colour('purple');
      const names = [];
      for (const number of laid.place.keys()) {
        const node = nodes[number];
        if (visitsOf(number) === 0) continue;
        const [x, y] = at(number);
        for (const edge of node.edges) {
          if (!laid.place.has(edge.child) || visitsOf(edge.child) === 0) continue;
          const [cx, cy] = at(edge.child);
          const path = onPath.has(`${number} ${edge.child}`);
          const best = state.picked === number;
          context.strokeStyle = path ? green : muted;
          context.globalAlpha = path || best ? 1 : 0.25 + 0.5 * (edge.visits / most());
          context.lineWidth = path ? 3 : (0.8 + 3.5 * (edge.visits / most())) * Math.max(0.5, scaleOf(edge.child));
          context.beginPath();
          context.moveTo(x, y);
          // An edge that does not go one layer down is bent around what lies between.
          const bend = Math.abs(cy - y - gap) < 0.5 ? 0 : 26;
          context.quadraticCurveTo((x + cx) / 2 + bend, (y + cy) / 2, cx, cy);
          context.stroke();
          if (state.labels && (path || best || (laid.place.size <= 60 && edge.visits * 60 > most()))) {
            names.push([edge.move, x + (cx - x) * 0.62 + bend * 0.48, y + (cy - y) * 0.62, path, edge.visits]);
          }
        }
      }
      context.globalAlpha = 1;
      for (const number of laid.place.keys()) {
        const visits = visitsOf(number);
        if (visits === 0) continue;
        const [x, y] = at(number);
        const r = radius(number, visits);
        context.fillStyle = mix(valueOf(number));
        context.beginPath();
        context.arc(x, y, r, 0, 2 * Math.PI);
        context.fill();
        context.strokeStyle = number === state.picked ? ink : muted;
        context.lineWidth = number === state.picked ? 2.5 : 0.8;
        context.stroke();
        if (laid.several.has(number)) {
          context.strokeStyle = purple;
          context.lineWidth = 1.8;
          context.beginPath();
          context.arc(x, y, r + 3, 0, 2 * Math.PI);
          context.stroke();
        }
        if (nodes[number].to_move === null) {
          context.fillStyle = ink;
          context.fillRect(x - 2, y - 2, 4, 4);
        } else if (r > 11) {
          context.fillStyle = ink;
          context.fillText(String(visits), x, y);
        }
      }
      // A name that would hide another is left out. The path of the playout comes first, then visits.
      names.sort((a, b) => b[3] - a[3] || b[4] - a[4]);
      const taken = [];
      for (const [text, x, y, path] of names) {
        const half = context.measureText(text).width / 2 + 2;
        if (taken.some(([ox, oy, other]) => Math.abs(ox - x) < half + other && Math.abs(oy - y) < 14)) continue;
        taken.push([x, y, half]);
        context.fillStyle = page;
        context.globalAlpha = 0.85;
        context.fillRect(x - half, y - 7, 2 * half, 14);
        context.globalAlpha = 1;
        context.fillStyle = path ? green : muted;
        context.fillText(text, x, y);
      }
      canvas.dataset.drawnMs = (performance.now() - begun).toFixed(1);
      canvas.dataset.nodes = laid.place.size;
      canvas.dataset.zoom = zoom.toFixed(2);
      onZoom(zoom);
    };

    /** Makes the drawing larger or smaller around the picked node, if it is in view. */
    const setZoom = (next) => {
      if (!laid) return;
      const inside = (place) => (laid.place.has(state.picked) ? place(at(state.picked)) : null);
      const before = inside(([x]) => x - frame.scrollLeft);
      const seen = before !== null && before >= 0 && before <= frame.clientWidth;
      const share = (frame.scrollLeft + frame.clientWidth / 2) / width;
      zoom = Math.max(1, Math.min(zoomMost(), next));
      draw();
      frame.scrollLeft = seen ? inside(([x]) => x) - before : share * width - frame.clientWidth / 2;
    };

    /** Scrolls to the picked node if it is out of view. */
    const reveal = () => {
      if (!laid || !laid.place.has(state.picked)) return;
      const [x, y] = at(state.picked);
      if (x < frame.scrollLeft || x > frame.scrollLeft + frame.clientWidth) frame.scrollLeft = x - frame.clientWidth / 2;
      if (y < frame.scrollTop || y > frame.scrollTop + frame.clientHeight) frame.scrollTop = y - frame.clientHeight / 2;
    };

    const relay = () => { laid = layout(nodes, cap, extra); draw(); };

    canvas.addEventListener('click', (event) => {
      if (!laid) return;
      const box = canvas.getBoundingClientRect();
      const [x, y] = [event.clientX - box.left, event.clientY - box.top];
      let best = null;
      for (const number of laid.place.keys()) {
        const [cx, cy] = at(number);
        const far = Math.hypot(cx - x, cy - y);
        if (far < radius(number, nodes[number].visits) + 8 && (best === null || far < best[1])) best = [number, far];
      }
      if (best) onPick(best[0]);
    });
    canvas.addEventListener('keydown', (event) => {
      if (!laid || event.ctrlKey || event.metaKey || event.altKey) return;
      const zooms = { '+': zoom * ZOOM_STEP, '=': zoom * ZOOM_STEP, '-': zoom / ZOOM_STEP, 0: 1 }[event.key];
      if (zooms !== undefined) { event.preventDefault(); setZoom(zooms); return; }
      if (!event.key.startsWith('Arrow')) return;
      event.preventDefault();
      const node = nodes[state.picked];
      const layer = laid.layers[node.line.length] || [];
      const i = layer.indexOf(state.picked);
      if (event.key === 'ArrowLeft' && i > 0) onPick(layer[i - 1]);
      if (event.key === 'ArrowRight' && i >= 0 && i + 1 < layer.length) onPick(layer[i + 1]);
      if (event.key === 'ArrowUp') { const up = (laid.parents.get(state.picked) || [])[0]; if (up !== undefined) onPick(up); }
      if (event.key === 'ArrowDown') { const down = [...node.edges].sort((a, b) => b.visits - a.visits)[0]; if (down) onPick(down.child); }
    });
    new ResizeObserver(() => draw()).observe(frame);
    DZ.onScheme(draw);

    return {
      load: (all) => {
        nodes = all;
        extra = [];
        zoom = 1;
        relay();
      },
      cap: (most) => { cap = most; if (nodes.length) relay(); },
      /** Shows nodes that are left out otherwise. */
      expand: (numbers) => { extra = [...new Set([...extra, ...numbers])]; relay(); },
      show: (next) => { state = { ...state, ...next }; draw(); if (next.picked !== undefined) reveal(); },
      fit: () => setZoom(1),
      larger: () => setZoom(zoom * ZOOM_STEP),
      smaller: () => setZoom(zoom / ZOOM_STEP),
      transpositions: () => (laid ? laid.several : new Set()),
    };
  };

  return { make };
})();

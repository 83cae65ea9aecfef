// A search drawn as a graph: layers by plies, edges by moves, transpositions as rings.
'use strict';

const DZGraph = (() => {
  const LAYER = 92;
  const TOP = 34;

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

  /** A drawing in `canvas`; `onPick` is called with the number of a node. */
  const make = (canvas, onPick) => {
    let nodes = [];
    let laid = null;
    let state = { visits: null, values: null, path: [], picked: 0, labels: true };
    let width = 800;
    let height = 400;
    let cap = 200;
    let extra = [];

    const at = (number) => {
      const [share, layer] = laid.place.get(number);
      return [16 + share * (width - 32), TOP + layer * LAYER];
    };
    const most = () => Math.max(1, nodes.length ? nodes[0].visits : 1);
    const radius = (visits) => 3.5 + 15 * Math.sqrt(visits / most());

    const mix = (value) => {
      const share = Math.min(1, Math.abs(value));
      return `color-mix(in srgb, ${DZ.colour(value >= 0 ? 'blue' : 'orange')} ${Math.round(15 + 85 * share)}%, ${DZ.colour('card')})`;
    };

    const fit = () => {
      const box = canvas.parentElement.getBoundingClientRect();
      const widest = Math.max(1, ...laid.layers.map((layer) => layer.length));
      width = Math.max(box.width || 300, Math.min(6000, widest * 11));
      height = TOP * 2 + Math.max(1, laid.layers.length - 1) * LAYER;
      canvas.style.width = `${width}px`;
      canvas.style.height = `${height}px`;
      // Canvases beyond some 16,000 pixels are not drawn by browsers.
      const scale = Math.min(devicePixelRatio || 1, 16000 / width, 16000 / height);
      canvas.width = Math.round(width * scale);
      canvas.height = Math.round(height * scale);
      const context = canvas.getContext('2d');
      context.setTransform(scale, 0, 0, scale, 0, 0);
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
          context.lineWidth = path ? 3 : 0.8 + 3.5 * (edge.visits / most());
          context.beginPath();
          context.moveTo(x, y);
          // An edge that does not go one layer down is bent around what lies between.
          const bend = cy - y === LAYER ? 0 : 26;
          context.quadraticCurveTo((x + cx) / 2 + bend, (y + cy) / 2, cx, cy);
          context.stroke();
          if (state.labels && (path || best || (laid.place.size <= 60 && edge.visits * 60 > most()))) {
            names.push([edge.move, x + (cx - x) * 0.62 + bend * 0.48, y + (cy - y) * 0.62, path]);
          }
        }
      }
      context.globalAlpha = 1;
      for (const number of laid.place.keys()) {
        const visits = visitsOf(number);
        if (visits === 0) continue;
        const [x, y] = at(number);
        const r = radius(visits);
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
      for (const [text, x, y, path] of names) {
        const half = context.measureText(text).width / 2 + 2;
        context.fillStyle = page;
        context.globalAlpha = 0.85;
        context.fillRect(x - half, y - 7, 2 * half, 14);
        context.globalAlpha = 1;
        context.fillStyle = path ? green : muted;
        context.fillText(text, x, y);
      }
      canvas.dataset.drawnMs = (performance.now() - begun).toFixed(1);
      canvas.dataset.nodes = laid.place.size;
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
        if (far < radius(nodes[number].visits) + 8 && (best === null || far < best[1])) best = [number, far];
      }
      if (best) onPick(best[0]);
    });
    canvas.addEventListener('keydown', (event) => {
      if (!laid || !event.key.startsWith('Arrow')) return;
      event.preventDefault();
      const node = nodes[state.picked];
      const layer = laid.layers[node.line.length] || [];
      const i = layer.indexOf(state.picked);
      if (event.key === 'ArrowLeft' && i > 0) onPick(layer[i - 1]);
      if (event.key === 'ArrowRight' && i >= 0 && i + 1 < layer.length) onPick(layer[i + 1]);
      if (event.key === 'ArrowUp') { const up = (laid.parents.get(state.picked) || [])[0]; if (up !== undefined) onPick(up); }
      if (event.key === 'ArrowDown') { const down = [...node.edges].sort((a, b) => b.visits - a.visits)[0]; if (down) onPick(down.child); }
    });
    new ResizeObserver(() => draw()).observe(canvas.parentElement);
    DZ.onScheme(draw);

    return {
      load: (all) => {
        nodes = all;
        extra = [];
        relay();
        // The root stands in the middle of a graph that is wider than its frame.
        canvas.parentElement.scrollLeft = (width - canvas.parentElement.clientWidth) / 2;
      },
      cap: (most) => { cap = most; if (nodes.length) relay(); },
      /** Shows nodes that are left out otherwise. */
      expand: (numbers) => { extra = [...new Set([...extra, ...numbers])]; relay(); },
      show: (next) => { state = { ...state, ...next }; draw(); },
      transpositions: () => (laid ? laid.several : new Set()),
    };
  };

  return { make };
})();

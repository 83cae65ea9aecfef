// A search laid open: the graph, one playout at a time, and the numbers behind each choice.
'use strict';

(() => {
  let answer = null;
  let board = null;
  let boardKind = '';
  let picked = 0;
  let running = null;
  let asking = null;
  let timer = null;
  const playouts = new Map();
  const lastChoice = new Map();
  const client = Array.from({ length: 4 }, () => Math.random().toString(36).slice(2, 6)).join('');
  const graph = DZGraph.make(DZ.byId('graph'), (number) => pick(number, true), (zoom) => { DZ.byId('zoom').textContent = `${Math.round(100 * zoom)} %`; });

  const trouble = (text) => { DZ.byId('trouble').textContent = text; };
  const number = (value, digits = 3) => (value === null || value === undefined ? '–' : typeof value === 'number' ? value.toFixed(digits) : String(value));
  const { signed } = DZ;

  /** The board and komi that are searched. */
  const rules = () => {
    const [option] = DZ.byId('rules').selectedOptions;
    return { board: option.value, komi: option.dataset.komi || null };
  };

  /** The exploration term of a choice: its score without the value. */
  const explored = (row) => (row && typeof row.score === 'number' && typeof row.q === 'number' ? number(row.score - row.q) : '–');

  /** Visits and values of all nodes after so many playouts, from the trace. */
  const after = (count) => {
    const nodes = answer.report.nodes;
    if (count >= answer.ways.length) return { visits: null, values: null };
    const visits = new Map();
    const values = new Map();
    answer.ways.forEach(({ steps, end }, i) => {
      if (i < count) {
        if (steps.length === 0) visits.set(0, 1);
        for (const [node, before] of steps) visits.set(node, before + 1);
        const last = steps[steps.length - 1];
        if (last && last[3] !== null && !visits.has(last[3])) visits.set(last[3], 1);
      } else {
        // The value before a later playout is the value until then.
        for (const [node, , value] of steps) {
          if (!values.has(node)) values.set(node, nodes[node].to_move === 'second' ? -value : value);
        }
      }
    });
    return { visits, values };
  };

  const pathOf = (way) => {
    if (!way) return [];
    const path = way.steps.map(([node]) => node);
    const last = way.steps[way.steps.length - 1];
    if (last && last[3] !== null) path.push(last[3]);
    return path.length ? path : [0];
  };

  const END = {
    evaluation: 'a new position was evaluated', cache_hit: 'the evaluation came from the cache', terminal: 'the game is over there, or its value is proven',
    cut: 'the child has more visits than the edge: its value is used without going down', cycle: 'the path came back to itself',
  };

  const showPlayout = async (count) => {
    const at = Math.max(1, Math.min(answer.ways.length, count));
    DZ.byId('playout').value = at;
    const way = answer.ways[at - 1];
    const path = pathOf(way);
    graph.show({ ...after(at), path });
    document.body.dataset.playout = at;
    DZ.byId('playout-text').textContent = `playout ${at} of ${answer.ways.length}: ${END[way.end] || way.end}; root value ${signed(way.root_value)}`;
    if (running) return;
    if (at > answer.traced) { DZ.byId('choices').replaceChildren(DZ.el('p', { class: 'none' }, `The scores of the first ${answer.traced} playouts are kept.`)); return; }
    try {
      const playout = await playoutOf(at);
      if (playout && Number(DZ.byId('playout').value) === at) choices(playout);
    } catch (error) { trouble(error.message); }
  };

  /** A playout with its scores; null if another search came meanwhile. */
  const playoutOf = async (at) => {
    const { id } = answer;
    if (!playouts.has(at)) {
      const found = await DZ.get(`/search/${id}/${at - 1}`);
      if (answer.id !== id) return null;
      playouts.set(at, found);
    }
    return playouts.get(at);
  };

  /** The scores of each choice of a playout. */
  const choices = (playout) => {
    if (playout.steps.length === 0) {
      DZ.byId('choices').replaceChildren(DZ.el('p', {}, 'The first playout evaluates the root.'));
      return;
    }
    DZ.byId('choices').replaceChildren(...playout.steps.map((step, at) => {
      const rows = [...step.moves].sort((a, b) => (typeof b.score === 'number' ? b.score : b.score === 'inf' ? Infinity : -Infinity) - (typeof a.score === 'number' ? a.score : a.score === 'inf' ? Infinity : -Infinity)).slice(0, 8);
      if (!rows.some((row) => row.move === step.move)) rows.push(step.moves.find((row) => row.move === step.move));
      return DZ.el('details', { open: at < 2 },
        DZ.el('summary', {}, `${at + 1}. node ${step.node} chose ${step.move}${step.held ? ' (held from an earlier visit)' : ''}; N ${step.visits}, Q ${signed(step.value)}`),
        DZ.table(['move', 'N', 'P', 'Q', 'U', 'score'], rows.filter(Boolean).map((row) => ({
          cells: [row.move === step.move ? DZ.el('b', {}, `${row.move} ✓`) : row.move, String(row.visits), number(row.prior), signed(row.q), explored(row), number(row.score)],
        })), [1, 2, 3, 4, 5]));
    }));
  };

  const pick = (at, expand) => {
    const node = answer.report.nodes[at];
    if (!node) return;
    picked = at;
    if (expand) graph.expand([at, ...node.edges.map((edge) => edge.child).slice(0, 40)]);
    graph.show({ picked });
    document.body.dataset.picked = at;
    const several = graph.transpositions().has(at);
    const who = node.to_move === null ? 'the game is over' : `${node.to_move} player to move`;
    DZ.byId('node-text').textContent = `At the end of the search, node ${at}: ${node.line.length ? node.line.join(' ') : 'the root'}; ${who}; N ${node.visits}, Q ${signed(node.value)}, own value ${signed(node.own_value)}${several ? '; a transposition' : ''}. Values are the first player's.`;
    edges(node, null);
    edgesExplored(at);
    DZ.byId('from-here').hidden = at === 0 || node.to_move === null;
    showBoard([...answer.moves, ...node.line]);
  };

  /** The edges of a node; `step` is the newest choice there. */
  const edges = (node, step) => {
    const rows = [...node.edges].sort((a, b) => b.visits - a.visits);
    const nodes = answer.report.nodes;
    const chosen = new Map((step ? step.moves : []).map((row) => [row.move, row]));
    DZ.byId('edges').replaceChildren(rows.length === 0 ? DZ.el('p', { class: 'none' }, 'No move was visited from here.')
      : DZ.table(['move', 'N', 'Q', 'P', 'U', 'to node'], rows.slice(0, 30).map((edge) => [
        edge.move, String(edge.visits), signed(edge.value === undefined ? nodes[edge.child].value : edge.value), number(edge.prior), explored(chosen.get(edge.move)),
        DZ.el('button', { type: 'button', class: 'link', on: { click: () => pick(edge.child, true) } }, String(edge.child)),
      ]), [1, 2, 3, 4]));
    if (rows.length) DZ.byId('edges').append(DZ.el('p', { class: 'sub' }, step ? `U is that of the newest choice here, in playout ${step.playout}.` : 'The score of no choice here is kept, so U is not known.'));
  };

  /** Adds U to the edges of the picked node, from the newest playout that chose there. */
  const edgesExplored = async (at) => {
    const playout = lastChoice.get(at);
    if (playout === undefined) return;
    try {
      const found = await playoutOf(playout);
      const step = found && found.steps.find((own) => own.node === at);
      if (step && picked === at) edges(answer.report.nodes[at], { moves: step.moves, playout });
    } catch (error) { trouble(error.message); }
  };

  const showBoard = async (moves) => {
    if (asking) asking.abort();
    asking = new AbortController();
    try {
      const found = await DZ.post(DZ.runLink('/board'), { moves, rules: answer.rules }, { signal: asking.signal });
      const key = JSON.stringify(found.board);
      if (key !== boardKind) {
        board = DZBoard.make(DZ.byId('board'), found.board);
        boardKind = key;
        const [first, second] = found.board.sides;
        if (first !== 'first') { DZ.byId('good-first').textContent = `good for ${first}`; DZ.byId('good-second').textContent = `good for ${second}`; }
      }
      board.show({ cells: found.cells, last: found.last, label: `Position after ${moves.join(' ') || 'no move'}` });
    } catch (error) {
      if (error.name !== 'AbortError') DZ.byId('board').replaceChildren();
    }
  };

  const show = (found, asked) => {
    answer = found;
    answer.rules = asked;
    playouts.clear();
    lastChoice.clear();
    found.ways.slice(0, found.traced).forEach(({ steps }, i) => { for (const [node] of steps) lastChoice.set(node, i + 1); });
    const { report } = found;
    DZ.byId('result').hidden = false;
    const facts = [
      ['best move', report.best === null ? '–' : report.best], ['root value, its mover\'s', signed(report.root.value)], ['visits', report.root.visits],
      ['nodes', report.counts.nodes], ['expected line', report.pv.slice(0, 8).join(' ') || '–'],
    ];
    DZ.byId('facts').replaceChildren(...facts.map(([name, value]) => DZ.el('div', {}, DZ.el('dt', {}, name), DZ.el('dd', { class: String(value).length > 16 ? 'long-fact' : null }, DZ.soft(value)))));
    DZ.byId('searched').replaceChildren(DZ.soft(report.game), ' · ', DZ.el('span', { title: report.evaluator }, DZ.soft(found.evaluator)));
    DZ.byId('playout').max = Math.max(1, found.ways.length);
    graph.load(report.nodes);
    if (found.ways.length) showPlayout(found.ways.length);
    pick(0, false);
    document.body.dataset.searched = report.counts.nodes;
  };

  let search = null;
  const ask = async () => {
    stop();
    trouble('');
    if (search) search.abort();
    search = new AbortController();
    const own = search;
    const text = DZ.byId('moves').value.trim();
    const asked = rules();
    DZ.byId('ask').classList.add('busy');
    try {
      const found = await DZ.post(DZ.runLink('/search'), {
        moves: text, generation: Number(DZ.byId('generation').value), playouts: Number(DZ.byId('playouts').value), settings: DZ.byId('settings').value, rules: asked, client,
      }, { signal: own.signal });
      const place = { moves: text, generation: DZ.byId('generation').value, board: asked.board, ...(asked.komi === null ? {} : { komi: asked.komi }) };
      history.replaceState(null, '', `#${new URLSearchParams(place)}`);
      show(found, asked);
    } catch (error) {
      if (error.name !== 'AbortError') trouble(error.message);
    } finally {
      if (search === own) DZ.byId('ask').classList.remove('busy');
    }
  };

  const stop = () => {
    if (timer) clearInterval(timer);
    timer = null;
    running = null;
    DZ.byId('run').setAttribute('aria-pressed', 'false');
    DZ.byId('run').textContent = 'Animate';
  };

  const play = () => {
    if (running) { stop(); showPlayout(Number(DZ.byId('playout').value)); return; }
    running = true;
    DZ.byId('run').setAttribute('aria-pressed', 'true');
    DZ.byId('run').textContent = 'Pause';
    if (Number(DZ.byId('playout').value) >= answer.ways.length) showPlayout(1);
    timer = setInterval(() => {
      const next = Number(DZ.byId('playout').value) + 1;
      if (next > answer.ways.length) { stop(); showPlayout(answer.ways.length); return; }
      showPlayout(next);
    }, 220);
  };

  DZ.byId('ask').addEventListener('submit', (event) => { event.preventDefault(); ask(); });
  DZ.byId('playout').addEventListener('input', () => showPlayout(Number(DZ.byId('playout').value)));
  DZ.byId('back').addEventListener('click', () => { stop(); showPlayout(Number(DZ.byId('playout').value) - 1); });
  DZ.byId('forth').addEventListener('click', () => { stop(); showPlayout(Number(DZ.byId('playout').value) + 1); });
  DZ.byId('run').addEventListener('click', play);
  DZ.byId('from-here').addEventListener('click', () => {
    DZ.byId('moves').value = [...answer.moves, ...answer.report.nodes[picked].line].join(' ');
    ask();
  });
  DZ.byId('fit').addEventListener('click', graph.fit);
  DZ.byId('zoom-in').addEventListener('click', graph.larger);
  DZ.byId('zoom-out').addEventListener('click', graph.smaller);
  DZ.byId('cap').addEventListener('change', () => graph.cap(Number(DZ.byId('cap').value)));
  DZ.byId('labels').addEventListener('change', () => graph.show({ labels: DZ.byId('labels').checked }));
  const named = new URLSearchParams(location.hash.slice(1));
  if (named.get('moves')) DZ.byId('moves').value = named.get('moves');
  if (named.get('generation')) DZ.byId('generation').value = named.get('generation');
  if (named.get('board')) {
    // A recorded game may be on another board of the run, or have a komi of its own.
    const [board, komi] = [named.get('board'), named.get('komi')];
    const select = DZ.byId('rules');
    let option = [...select.options].find((own) => own.value === board);
    if (komi !== null || !option) {
      option = DZ.el('option', { value: board }, komi === null ? board : `${board}, komi ${komi} in this game`);
      if (komi !== null) option.dataset.komi = komi;
      select.append(option);
    }
    option.selected = true;
    select.parentElement.hidden = select.options.length < 2;
  }
  ask();
})();

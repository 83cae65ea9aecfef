// Recorded games: a list, and a viewer.
'use strict';

(() => {
  const BLUNDER = 0.25;
  let skip = 0;
  let game = null;
  let ply = 0;
  let board = null;
  const asked = new Map();
  let asking = null;

  const END = { rules: '', resigned: 'resigned', limit: 'ply limit', forfeit: 'forfeit' };

  const list = async () => {
    const query = new URLSearchParams({ kind: DZ.byId('kind').value, skip: String(skip) });
    for (const [id, key] of [['cycle', 'cycle'], ['result', 'result'], ['plies-min', 'plies_min'], ['plies-max', 'plies_max']]) {
      const value = DZ.byId(id).value;
      if (value !== '') query.set(key, value);
    }
    try {
      const found = await DZ.get(DZ.runLink(`/games.json?${query}`));
      DZ.byId('list-trouble').textContent = found.troubles.join(' ');
      const open = (entry) => DZ.el('button', { type: 'button', class: 'link', 'aria-label': `Game ${entry.number}` }, String(entry.number));
      // Where the rules ended every game, the column would be empty.
      const ends = found.games.some((entry) => END[entry.end]);
      DZ.byId('list').replaceChildren(found.games.length === 0
        ? DZ.el('p', { class: 'none' }, 'No such game.')
        : DZ.table(['game', 'cycle', 'first player', 'second player', 'result', 'plies', ...(ends ? ['end'] : []), 'begins'],
          found.games.map((entry) => ({
            properties: { class: 'opens', on: { click: () => load(entry.file, entry.number) } },
            cells: [open(entry), String(entry.cycle), DZ.soft(entry.players[0]), DZ.soft(entry.players[1]), DZ.el('span', { class: 'outcome' }, entry.outcome), String(entry.plies), ...(ends ? [END[entry.end]] : []), entry.moves.join(' ')],
          })), [1, 5], 'stack'));
      DZ.byId('earlier').disabled = skip === 0;
      DZ.byId('later').disabled = !found.more;
      DZ.byId('later').dataset.count = found.games.length;
    } catch (error) {
      DZ.byId('list-trouble').textContent = error.message;
    }
  };

  const load = async (file, number, where) => {
    try {
      const query = new URLSearchParams({ file, number: String(number) });
      game = await DZ.get(DZ.runLink(`/game.json?${query}`));
    } catch (error) {
      DZ.byId('list-trouble').textContent = error.message;
      return;
    }
    asked.clear();
    DZ.byId('viewer').hidden = false;
    board = DZBoard.make(DZ.byId('board'), game.board);
    DZ.byId('game-title').replaceChildren(DZ.soft(`Game ${game.number}: ${game.players[0]} against ${game.players[1]}`));
    DZ.byId('curve-title').textContent = `Expected score of ${game.board.sides[0]}`;
    const words = [game.game, `cycle ${game.cycle}`, game.outcome, END[game.end], `${game.plies.length} plies`, game.opening ? `the first ${game.opening} are an opening` : '', game.note || ''];
    DZ.byId('game-note').replaceChildren(DZ.soft(words.filter(Boolean).join(' · ')));
    DZ.byId('ply').max = game.plies.length;
    DZ.byId('download').href = DZ.runLink(`/record?${new URLSearchParams({ file, number: String(number) })}`);
    history.replaceState(null, '', `#${new URLSearchParams({ file, number: String(number) })}`);
    show(where === undefined ? game.plies.length : where);
    DZ.byId('game-title').focus({ preventScroll: true });
    DZ.byId('viewer').scrollIntoView({ block: 'start' });
  };

  const cellsAt = (at) => (at === 0 ? game.start : game.plies[at - 1].cells);

  /** Points of the move before this position. */
  const lastAt = (at) => {
    if (at === 0) return [];
    const { to, from } = game.plies[at - 1];
    return [from, to].filter(Boolean);
  };

  const sharesAt = (at, key) => {
    const entry = game.plies[at];
    return entry ? entry[key].map(([move, share]) => ({ move, share })) : [];
  };

  /** What the champion says of this position; asked for once. */
  const network = async (at) => {
    const generation = Number(DZ.byId('generation').value);
    const key = `${generation} ${at}`;
    if (asked.has(key)) return asked.get(key);
    if (asking) asking.abort();
    asking = new AbortController();
    const moves = game.plies.slice(0, at).map((entry) => entry.name);
    const found = await DZ.post(DZ.runLink('/policy'), { generation, moves, rules: game.rules }, { signal: asking.signal });
    asked.set(key, found);
    return found;
  };

  const show = async (at) => {
    ply = Math.max(0, Math.min(game.plies.length, at));
    const overlay = DZ.byId('overlay').value;
    DZ.byId('ply').value = ply;
    document.body.dataset.ply = ply;
    const state = {
      cells: cellsAt(ply), last: lastAt(ply), isNew: false,
      label: `Position after ${ply} plies`,
    };
    if (overlay === 'visits' || overlay === 'target') state.overlay = sharesAt(ply, overlay);
    if (overlay === 'ownership' && game.ownership) state.ownership = [...game.ownership].map((sign) => (sign === 'X' ? 1 : sign === 'O' ? -1 : 0));
    board.show(state);
    const next = game.plies[ply];
    const words = [ply === 0 ? 'The start.' : `${ply}. ${game.plies[ply - 1].name} by ${game.board.sides[game.plies[ply - 1].by]}.`];
    if (next) words.push(`Next: ${next.name}${next.score === null ? '' : `; ${game.board.sides[0]} expects ${DZ.percent(next.score)} before it`}${next.full || next.score === null ? '' : ' (fast search)'}.`);
    if (overlay === 'ownership' && !game.ownership) words.push('This game has no ownership of points at its end.');
    if (overlay === 'target' && next && next.target.length === 0) words.push('The policy target is the visits.');
    DZ.byId('ply-text').textContent = words.join(' ');
    curve();
    table([]);
    const moves = game.plies.slice(0, ply).map((entry) => entry.name).join(' ');
    const place = { moves, generation: DZ.byId('generation').value, board: game.rules.board, ...(game.rules.komi === null ? {} : { komi: game.rules.komi }) };
    DZ.byId('to-search').href = DZ.runLink(`/search#${new URLSearchParams(place)}`);
    if (overlay === 'policy' || overlay === 'network-ownership') {
      const wanted = ply;
      try {
        const found = await network(ply);
        if (ply !== wanted) return;
        const { policy, to_move: mover } = found;
        if (overlay === 'policy') state.overlay = policy.priors.map(([move, share]) => ({ move, share })).sort((a, b) => b.share - a.share);
        else if (policy.ownership) state.ownership = policy.ownership.map((value) => (mover === 0 ? value : -value));
        else DZ.byId('ply-text').textContent += ' This network predicts no ownership.';
        board.show(state);
        table(policy.priors);
      } catch (error) {
        if (error.name !== 'AbortError' && ply === wanted) DZ.byId('ply-text').textContent += ` ${error.message}.`;
      }
    }
  };

  /** Moves with their shares: visits, target, and the policy where it was asked for. */
  const table = (priors) => {
    const entry = game.plies[ply];
    const known = new Map();
    const note = (list, key) => { for (const [move, share] of list) known.set(move.name, { ...(known.get(move.name) || {}), [key]: share }); };
    if (entry) { note(entry.visits, 'visits'); note(entry.target, 'target'); }
    note(priors, 'policy');
    const rows = [...known].sort((a, b) => (b[1].visits || 0) - (a[1].visits || 0) || (b[1].policy || 0) - (a[1].policy || 0)).slice(0, 8);
    const cell = (share) => (share === undefined ? '–' : DZ.percent(share));
    const hasTarget = entry && entry.target.length > 0;
    DZ.byId('shares').replaceChildren(...(rows.length === 0 ? [DZ.el('p', { class: 'none' }, entry ? 'No search is recorded for this move.' : 'The game is over here.')]
      : [DZ.table(['move', 'visits', ...(hasTarget ? ['target'] : []), ...(priors.length ? ['raw policy'] : [])],
        rows.map(([move, share]) => [move === entry?.name ? DZ.el('b', {}, `${move} (played)`) : move, cell(share.visits), ...(hasTarget ? [cell(share.target)] : []), ...(priors.length ? [cell(share.policy)] : [])]), [1, 2, 3])]));
  };

  /** The expected score over the game, with the moves that lost much of it. */
  const curve = () => {
    const width = 480;
    const height = 130;
    const all = game.plies;
    const x = (at) => 8 + ((width - 16) * at) / Math.max(1, all.length);
    const y = (score) => 8 + (height - 16) * (1 - score);
    const known = all.map((entry, at) => [at, entry.score]).filter(([, score]) => score !== null);
    const parts = [DZ.svg('path', { class: 'even', d: `M0 ${y(0.5)}H${width}` })];
    if (known.length) parts.push(DZ.svg('polyline', { class: 'value', points: known.map(([at, score]) => `${x(at).toFixed(1)},${y(score).toFixed(1)}`).join(' ') }));
    known.forEach(([at, score], i) => {
      const after = known[i + 1];
      if (!after || after[0] !== at + 1) return;
      const lost = (all[at].by === 0 ? 1 : -1) * (score - after[1]);
      if (lost >= BLUNDER) parts.push(DZ.svg('circle', { class: 'blunder', cx: x(at), cy: y(score), r: 4 }, DZ.svg('title', {}, `${at + 1}. ${all[at].name} lost ${DZ.percent(lost)}`)));
    });
    parts.push(DZ.svg('path', { class: 'now', d: `M${x(ply).toFixed(1)} 0V${height}` }));
    const drawing = DZ.svg('svg', { viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: 'none', on: { click: (event) => {
      const box = drawing.getBoundingClientRect();
      show(Math.round((((event.clientX - box.left) / box.width) * width - 8) / (width - 16) * all.length));
    } } }, ...parts);
    if (known.length === 0) { DZ.byId('curve').replaceChildren(DZ.el('p', { class: 'none' }, 'Values are recorded in self-play only.')); return; }
    // The drawing is stretched, so its labels stand beside it.
    const labels = (name, texts) => DZ.el('div', { class: name }, ...texts.map((text) => DZ.el('span', {}, text)));
    DZ.byId('curve').replaceChildren(labels('curve-y', ['100 %', '50 %', '0 %']), drawing,
      labels('curve-x', ['0', `${Math.round(all.length / 2)}`, `${all.length} plies`]));
  };

  const ages = async () => {
    let stages;
    try { stages = await DZ.get(DZ.runLink('/ages.json')); } catch (error) { DZ.byId('ages').replaceChildren(DZ.el('p', { class: 'bad' }, error.message)); return; }
    if (stages.length === 0) { DZ.byId('ages').replaceChildren(DZ.el('p', { class: 'none' }, 'No games have been played yet.')); return; }
    const made = stages.map((stage) => {
      const picture = DZ.el('div', { class: 'thumb' });
      const button = DZ.el('button', { type: 'button', class: 'stage', on: { click: () => load(stage.file, stage.number, 0) } },
        picture, DZ.el('span', {}, `cycle ${stage.cycle}`), DZ.el('small', {}, stage.generation ? `generation ${stage.generation}` : 'no network yet'));
      return { stage, picture, button };
    });
    DZ.byId('ages').replaceChildren(...made.map(({ button }) => button));
    for (const { stage, picture } of made) {
      try {
        const found = await DZ.get(DZ.runLink(`/game.json?${new URLSearchParams({ file: stage.file, number: String(stage.number) })}`));
        const last = found.plies[found.plies.length - 1];
        DZBoard.make(picture, { ...found.board, columns: [], rows: [] }).show({ cells: last ? last.cells : found.start, label: `Last position of game ${stage.number}` });
      } catch { picture.textContent = 'cannot be read'; }
    }
  };

  const byKey = (event) => {
    if (!game || event.altKey || event.ctrlKey || event.metaKey) return;
    if (/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName) && event.target.type !== 'range') return;
    const next = { ArrowLeft: ply - 1, ArrowRight: ply + 1, Home: 0, End: game.plies.length }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    show(next);
  };

  document.addEventListener('keydown', byKey);
  DZ.byId('first').addEventListener('click', () => show(0));
  DZ.byId('back').addEventListener('click', () => show(ply - 1));
  DZ.byId('forth').addEventListener('click', () => show(ply + 1));
  DZ.byId('last').addEventListener('click', () => show(game.plies.length));
  DZ.byId('ply').addEventListener('input', () => show(Number(DZ.byId('ply').value)));
  DZ.byId('overlay').addEventListener('change', () => show(ply));
  DZ.byId('generation').addEventListener('change', () => show(ply));
  DZ.byId('filter').addEventListener('submit', (event) => event.preventDefault());
  DZ.byId('filter').addEventListener('change', () => { skip = 0; list(); });
  DZ.byId('earlier').addEventListener('click', () => { skip = Math.max(0, skip - 100); list(); });
  DZ.byId('later').addEventListener('click', () => { skip += Number(DZ.byId('later').dataset.count); list(); });
  list();
  ages();
  const named = new URLSearchParams(location.hash.slice(1));
  if (named.get('file')) load(named.get('file'), Number(named.get('number')));
})();

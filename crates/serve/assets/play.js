// A game against a champion.
'use strict';

(() => {
  let board = null;
  let kind = '';
  let name = null;
  let busy = false;
  let position = null;
  let flipped = false;

  const trouble = (text) => { DZ.byId('trouble').textContent = text; };
  const status = (text) => { DZ.byId('status').textContent = text; };

  const sideText = (index) => {
    const own = position.board.sides[index];
    const mine = position.side === 'both' || position.side === (index === 0 ? 'first' : 'second');
    return `${own} (${mine ? 'you' : position.player})`;
  };

  /** What depends on the game: names of the sides, and what a move may be typed as. */
  const nameGame = ({ sides, kind: drawn }) => {
    const [first, second] = DZ.byId('side').options;
    first.textContent = sides[0] === 'first' ? 'first' : `${sides[0]} (first)`;
    second.textContent = sides[1] === 'second' ? 'second' : `${sides[1]} (second)`;
    DZ.byId('chess-keys').hidden = drawn !== 'pieces';
    // Discs fall down, so this board has one way up.
    DZ.byId('flip').hidden = drawn === 'drops';
  };

  const choices = (moves) => DZ.byId('choices').replaceChildren(...moves.map((mv) => DZ.el('button', {
    type: 'button', on: { click: () => ask({ ask: 'move', name: mv.name }) },
  }, mv.name)));

  const show = (next) => {
    const before = position;
    position = next;
    const shape = next.board;
    const key = JSON.stringify([next.game, shape]);
    if (!board || kind !== key) {
      board = DZBoard.make(DZ.byId('board'), shape);
      kind = key;
      board.flip(flipped);
      nameGame(shape);
    }
    const mine = next.to_move !== null
      && (next.side === 'both' || next.side === (next.to_move === 0 ? 'first' : 'second'));
    const overlay = next.hints.map((hint) => ({ move: hint, share: hint.visits / Math.max(1, next.hints.reduce((sum, h) => sum + h.visits, 0)) }));
    board.show({
      cells: next.cells, last: next.last, legal: next.legal, overlay,
      isNew: before && next.moves.length > before.moves.length,
      label: `Board of ${next.game}. ${next.moves.length ? `Last move ${next.moves[next.moves.length - 1]}.` : 'No move yet.'}`,
      onMove: mine ? (move) => ask({ ask: 'move', name: move }) : null,
      onChoice: (moves) => { choices(moves); status('What does it become? Choose below the board.'); },
      onNothing: (place) => trouble(`${place} is not a legal move here`),
    });
    const offBoard = next.legal.filter((mv) => !mv.to);
    choices(mine ? (shape.kind === 'text' ? next.legal : offBoard) : []);
    document.body.dataset.over = next.over ? 'yes' : 'no';
    document.body.dataset.moves = next.moves.length;
    if (next.over) status(`The game is over: ${next.over}. "New game" begins another.`);
    else status(`${sideText(next.to_move)} to move.${next.moves.length ? ` Last move: ${next.moves[next.moves.length - 1]}.` : ''}`);
    DZ.byId('moves').replaceChildren(...next.moves.map((text) => DZ.el('li', {}, text)));
    const moves = DZ.byId('moves');
    moves.scrollTop = moves.scrollHeight;
    const bar = DZ.byId('score');
    bar.hidden = next.score === null;
    if (next.score !== null) {
      const [first, second] = bar.querySelectorAll('.share-bar i');
      first.className = shape.colours[0];
      second.className = shape.colours[1];
      first.style.width = `${100 * next.score}%`;
      bar.lastElementChild.textContent = `${shape.sides[0]} ${DZ.percent(next.score)} · ${shape.sides[1]} ${DZ.percent(1 - next.score)}`;
    }
    DZ.byId('hints').replaceChildren(...(next.hints.length ? [DZ.table(['move', 'score', 'visits', 'prior', 'line'],
      next.hints.map((hint) => [hint.name, hint.score === null ? '–' : DZ.percent(hint.score), String(hint.visits), DZ.percent(hint.prior), hint.line.join(' ')]), [1, 2, 3])] : []));
  };

  /** Asks the game for something. One thing at a time. */
  const ask = async (command) => {
    if (busy || !name) return;
    busy = true;
    document.body.dataset.busy = 'yes';
    trouble('');
    if (command.ask === 'move' || command.ask === 'hint') status('Thinking ...');
    try {
      show(await DZ.post(`/game/${name}`, command));
    } catch (error) {
      trouble(error.message);
      if (position) show({ ...position, hints: [] });
      trouble(error.message);
    } finally {
      busy = false;
      document.body.dataset.busy = 'no';
    }
  };

  const begin = async () => {
    if (busy) return;
    busy = true;
    document.body.dataset.busy = 'yes';
    trouble('');
    status('A new game begins ...');
    try {
      const side = DZ.byId('side').value;
      const rules = DZ.byId('rules');
      const answer = await DZ.post(DZ.runLink('/play'), {
        generation: Number(DZ.byId('generation').value), side,
        rules: rules.options.length > 1 ? { board: rules.value } : null,
        playouts: Number(DZ.byId('playouts').value), seed: Math.floor(Math.random() * 2 ** 31),
      });
      name = answer.name;
      position = null;
      flipped = side === 'second' && answer.position.board.kind === 'pieces';
      if (board) board.flip(flipped);
      show(answer.position);
    } catch (error) {
      trouble(error.message);
      status('There is no game.');
    } finally {
      busy = false;
      document.body.dataset.busy = 'no';
    }
  };

  DZ.byId('setup').addEventListener('submit', (event) => { event.preventDefault(); begin(); });
  DZ.byId('playouts').addEventListener('change', () => ask({ ask: 'playouts', playouts: Number(DZ.byId('playouts').value) }));
  DZ.byId('side').addEventListener('change', () => ask({ ask: 'side', side: DZ.byId('side').value }));
  DZ.byId('generation').addEventListener('change', begin);
  DZ.byId('rules').addEventListener('change', begin);
  DZ.byId('undo').addEventListener('click', () => ask({ ask: 'undo' }));
  DZ.byId('hint').addEventListener('click', () => ask({ ask: 'hint' }));
  DZ.byId('flip').addEventListener('click', () => { flipped = !flipped; if (board) board.flip(flipped); });
  DZ.byId('typed').addEventListener('submit', (event) => {
    event.preventDefault();
    const box = DZ.byId('move');
    if (box.value.trim()) ask({ ask: 'move', name: box.value.trim() });
    box.value = '';
  });
  begin();
})();

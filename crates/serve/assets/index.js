// The page of all runs: brings the cards up to date.
'use strict';

(() => {
  const EVERY_MS = 5000;
  const cards = DZ.byId('cards');
  if (!cards) {
    // The empty page promises to show the first run.
    setInterval(async () => {
      try { if ((await DZ.get('/cards.json')).length > 0) location.reload(); } catch { /* asked again */ }
    }, EVERY_MS);
    return;
  }
  const MOST = 8;
  const button = document.querySelector('.compare button');
  const hint = DZ.byId('picked');
  const words = hint && hint.textContent;
  /** What the button does with the runs that are picked. */
  const count = () => {
    if (!button) return;
    const picked = cards.querySelectorAll('input:checked').length;
    button.parentElement.classList.toggle('picked', picked > 0);
    button.disabled = picked < 2 || picked > MOST;
    button.textContent = picked < 2 ? 'Compare picked runs' : `Compare ${picked} runs`;
    hint.textContent = picked === 1 ? 'Pick one more.' : picked > MOST ? `At most ${MOST} runs.` : words;
  };
  cards.addEventListener('change', count);
  addEventListener('pageshow', count);

  let known = new Map();
  const key = (card) => JSON.stringify([card.record, card.state, card.alarms, card.error]);

  const refresh = async () => {
    if (document.hidden) return;
    let fresh;
    try { fresh = await DZ.get('/cards.json'); } catch { return; }
    const now = new Map(fresh.map((card) => [card.id, key(card)]));
    const changed = known.size > 0
      && (now.size !== known.size || [...now].some(([id, text]) => known.get(id) !== text));
    // A card that has the focus is not replaced. The next look brings the change.
    if (changed && document.activeElement && document.activeElement.closest('[data-run]')) return;
    known = now;
    if (!changed) return;
    const picked = new Set([...cards.querySelectorAll('input:checked')].map((box) => box.value));
    const response = await fetch('/');
    const page = new DOMParser().parseFromString(await response.text(), 'text/html');
    const next = page.getElementById('cards');
    if (!next) { location.reload(); return; }
    cards.replaceChildren(...next.children);
    for (const box of cards.querySelectorAll('input')) box.checked = picked.has(box.value);
    count();
  };
  refresh();
  setInterval(refresh, EVERY_MS);
})();

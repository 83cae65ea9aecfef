// The page of all runs: brings the cards up to date.
'use strict';

(() => {
  const EVERY_MS = 5000;
  const cards = DZ.byId('cards');
  if (!cards) return;
  let known = new Map();
  const key = (card) => JSON.stringify([card.record, card.state, card.alarms, card.error]);

  const refresh = async () => {
    if (document.hidden) return;
    let fresh;
    try { fresh = await DZ.get('/cards.json'); } catch { return; }
    const now = new Map(fresh.map((card) => [card.id, key(card)]));
    const changed = known.size > 0
      && (now.size !== known.size || [...now].some(([id, text]) => known.get(id) !== text));
    known = now;
    if (!changed) return;
    const picked = new Set([...cards.querySelectorAll('input:checked')].map((box) => box.value));
    const response = await fetch('/');
    const page = new DOMParser().parseFromString(await response.text(), 'text/html');
    const next = page.getElementById('cards');
    if (!next) { location.reload(); return; }
    const focus = document.activeElement && document.activeElement.closest('[data-run]');
    if (focus) return;
    cards.replaceChildren(...next.children);
    for (const box of cards.querySelectorAll('input')) box.checked = picked.has(box.value);
  };
  refresh();
  setInterval(refresh, EVERY_MS);
})();

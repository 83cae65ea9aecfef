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
  };
  refresh();
  setInterval(refresh, EVERY_MS);
})();

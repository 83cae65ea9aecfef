// Helpers of all pages.
'use strict';

const DZ = (() => {
  const meta = (name) => {
    const found = document.querySelector(`meta[name="${name}"]`);
    return found ? found.content : '';
  };

  /** The address of a page or file of the run that this page shows. */
  const runLink = (page) => meta('dagzero-run') + page;

  /** Makes an element: properties, then children (elements or text). */
  const el = (name, properties = {}, ...children) => {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(properties)) {
      if (value === null || value === undefined || value === false) continue;
      if (key === 'class') made.className = value;
      else if (key === 'on') for (const [type, listen] of Object.entries(value)) made.addEventListener(type, listen);
      else if (key in made && key !== 'list' && key !== 'style') made[key] = value;
      else made.setAttribute(key, value);
    }
    made.append(...children.filter((child) => child !== null && child !== undefined));
    return made;
  };

  const SVG = 'http://www.w3.org/2000/svg';
  /** Makes an SVG element. */
  const svg = (name, attributes = {}, ...children) => {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) {
      if (value === null || value === undefined) continue;
      if (key === 'on') for (const [type, listen] of Object.entries(value)) made.addEventListener(type, listen);
      else made.setAttribute(key, value);
    }
    made.append(...children.filter((child) => child !== null && child !== undefined));
    return made;
  };

  const answer = async (response) => {
    let body = null;
    try { body = await response.json(); } catch { /* a page, or nothing */ }
    if (!response.ok || body === null) {
      throw new Error((body && body.error) || `the server answers ${response.status}`);
    }
    return body;
  };

  /** Fetches JSON. Errors carry the server's message. */
  const get = async (path, options = {}) => {
    try {
      return await answer(await fetch(path, { headers: { accept: 'application/json' }, ...options }));
    } catch (error) {
      if (error instanceof TypeError) throw new Error('the server does not answer; is dagzero serve still running?');
      throw error;
    }
  };

  /** Posts JSON with the token of the page. */
  const post = (path, body, options = {}) => get(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-dagzero-token': meta('dagzero-token') },
    body: JSON.stringify(body),
    ...options,
  });

  /** A colour of the style sheet, as the scheme has it now. */
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

  /** Calls back when the reader's scheme changes. */
  const onScheme = (call) => matchMedia('(prefers-color-scheme: dark)').addEventListener('change', call);

  const percent = (share) => `${(100 * share).toFixed(share > 0 && share < 0.0995 ? 1 : 0)}\u00a0%`;
  /** A number with its sign; zero has none. */
  const signed = (value, digits = 3) => {
    if (value === null || value === undefined) return '–';
    const text = Math.abs(value).toFixed(digits);
    if (Number(text) === 0) return text;
    return `${value < 0 ? '-' : '+'}${text}`;
  };
  /** Text that may be broken after commas: names of games are long. */
  const soft = (text) => el('span', {}, ...String(text).split(',').flatMap((part, at) => (at ? [',', el('wbr'), part] : [part])));
  const byId = (id) => document.getElementById(id);

  /** A table of texts. `numbers` are the columns that stand to the right. `kind` is a class. */
  const table = (head, rows, numbers = [], kind = '') => {
    const align = (at) => (numbers.includes(at) ? 'n' : null);
    return el('div', { class: 'scroll' }, el('table', { class: `plain ${kind}` },
      el('thead', {}, el('tr', {}, ...head.map((text, at) => el('th', { class: align(at), scope: 'col' }, text)))),
      el('tbody', {}, ...rows.map((row) => el('tr', row.properties || {},
        ...(row.cells || row).map((cell, at) => el('td', { class: align(at), 'data-label': head[at] }, cell)))))));
  };

  return { runLink, el, svg, get, post, colour, onScheme, percent, signed, soft, byId, table };
})();

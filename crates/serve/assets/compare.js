// Curves of several runs over each other.
'use strict';

(() => {
  const data = DZ.byId('figures');
  const holder = DZ.byId('compare-plot');
  const figures = data ? JSON.parse(data.textContent) : [];
  if (!holder || figures.length === 0) return;
  let plot = null;
  const draw = () => {
    if (plot) plot.destroy();
    const figure = figures[Number(DZ.byId('compare-x').value)];
    plot = DZChart.draw(holder, figure, { map: (x) => x, label: figure.x.label, log: false });
  };
  DZ.byId('compare-x').addEventListener('change', draw);
  DZ.onScheme(() => plot && plot.redraw());
  draw();
})();

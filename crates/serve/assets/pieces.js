// Chess pieces, drawn for DagZero on squares of 45 units.
'use strict';

const DZPieces = (() => {
  const BASE = 'M11 36.5h23v3.6H11z';
  const SHAPES = {
    p: ['M22.5 8.3a5.3 5.3 0 0 0-3.2 9.5l-3 2.4h3.2c-.4 6.6-4.6 9-5 16.3h16c-.4-7.3-4.6-9.7-5-16.3h3.2l-3-2.4a5.3 5.3 0 0 0-3.2-9.5z', BASE],
    r: ['M12 9h5v4h3.2V9h4.6v4H28V9h5v8.6l-3.4 3V32l3 4.5H12.4l3-4.5V20.600l-3.4-3z', BASE],
    n: ['M13.500 36.500c-.2-8.500 7.300-10.500 8.300-17-2.800.9-4.300 3.800-6.800 4.500-2.300.6-4.600-1.200-3.900-3.700.8-2.900 3.600-4.700 4.700-8.500l1-5.100 3.700 3.500c7.900.5 12.600 6.500 12.600 14.600 0 4.700-1 8.200-1.200 11.700z', BASE],
    b: ['M22.500 4.700a2.400 2.400 0 0 0-1.300 4.400c-5 4.300-7.200 8.600-7.200 12.500 0 3.200 1.600 5.400 3.300 6.700l-1.800 3.200 2 1.500-1.700 3.500h13.400l-1.700-3.500 2-1.500-1.800-3.200c1.700-1.300 3.300-3.500 3.300-6.700 0-3.900-2.200-8.200-7.200-12.500a2.400 2.400 0 0 0-1.300-4.400z', BASE],
    q: ['M10.800 12.500a2.200 2.200 0 1 1 2.300 2.200l4 8.800.6-13.200a2.200 2.200 0 1 1 2 .2l2.800 11.500 2.800-11.500a2.200 2.200 0 1 1 2-.2l.6 13.200 4-8.800a2.200 2.200 0 1 1 2.300-2.200 2.200 2.200 0 0 1-1.500 2.100L30.500 32l1.500 4.500H13L14.500 32l-2.200-17.400a2.200 2.200 0 0 1-1.500-2.100z', BASE],
    k: ['M21.200 4.500h2.600v2.800h2.900v2.600h-2.900v3.300c2.500.7 3.500 3 2.600 5.600 4.300-3.300 10.300-1 10.300 4.600 0 4.600-3.700 6.500-5 13.100H13.300c-1.300-6.600-5-8.500-5-13.100 0-5.600 6-7.900 10.300-4.600-.9-2.600.1-4.900 2.600-5.600V9.900h-2.900V7.300h2.900z', BASE],
  };
  const MARKS = {
    n: 'M18.600 13.900a1.100 1.100 0 1 0 .01 0z', b: 'M22.500 13.500v7.500M19.200 17h6.600M17.300 28.300h10.400',
    r: 'M15.400 20.600h14.200M15.400 32h14.200', q: 'M14.500 32h16M14 28.300h17', k: 'M14.300 31.800h16.400', p: 'M19.500 20.200h6',
  };
  const NAMES = { p: 'pawn', r: 'rook', n: 'knight', b: 'bishop', q: 'queen', k: 'king' };

  /** A piece by its letter, in a box of `size` at (x, y); capital letters are white. */
  const draw = (sign, x, y, size) => {
    const kind = sign.toLowerCase();
    const white = sign !== kind;
    if (!SHAPES[kind]) return DZ.svg('text', { x: x + size / 2, y: y + size * 0.7, class: 'piece-letter' }, sign);
    const scale = size / 45;
    return DZ.svg('g', { class: `chess ${white ? 'white' : 'black'}`, transform: `translate(${x} ${y}) scale(${scale})`, 'aria-hidden': 'true' },
      ...SHAPES[kind].map((d) => DZ.svg('path', { d })),
      DZ.svg('path', { d: MARKS[kind], class: 'mark' }));
  };

  /** What a piece is called. */
  const name = (sign) => {
    const kind = NAMES[sign.toLowerCase()];
    return kind ? `${sign === sign.toLowerCase() ? 'black' : 'white'} ${kind}` : sign;
  };

  return { draw, name };
})();

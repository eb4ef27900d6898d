// Draws the room of #room-data on the canvas #room and rotates it by pointer, keys or the sliders beside it.
(() => {
  'use strict';
  const room = JSON.parse(document.getElementById('room-data').textContent);
  const canvas = document.getElementById('room'), pen = canvas.getContext('2d');
  const slider = name => document.getElementById('room-' + name);
  const view = { turn: -35, tilt: 25, zoom: 1 };
  const middle = [0, 1, 2].map(d => (room.low[d] + room.high[d]) / 2);
  const radius = Math.hypot(...[0, 1, 2].map(d => room.high[d] - room.low[d])) / 2 || 1;
  const corner = i => [room.vertices[3 * i], room.vertices[3 * i + 1], room.vertices[3 * i + 2]];

  // Orthographic, z up: right, up and away from the viewer.
  function turned(p) {
    const t = view.turn * Math.PI / 180, s = view.tilt * Math.PI / 180;
    const x = p[0] - middle[0], y = p[1] - middle[1], z = p[2] - middle[2];
    const a = Math.cos(t) * x - Math.sin(t) * y, b = Math.sin(t) * x + Math.cos(t) * y;
    return [a, Math.cos(s) * z + Math.sin(s) * b, Math.cos(s) * b - Math.sin(s) * z];
  }

  function draw() {
    const box = canvas.getBoundingClientRect(), sharp = window.devicePixelRatio || 1;
    canvas.width = Math.max(1, Math.round(box.width * sharp));
    canvas.height = Math.max(1, Math.round(box.height * sharp));
    pen.setTransform(sharp, 0, 0, sharp, 0, 0);
    pen.clearRect(0, 0, box.width, box.height);
    const ink = getComputedStyle(document.documentElement).getPropertyValue('--ink').trim() || '#222';
    const scale = view.zoom * 0.5 * Math.min(box.width / radius, box.height / (0.8 * radius));
    const place = p => {
      const q = turned(p);
      return [box.width / 2 + scale * q[0], box.height / 2 - scale * q[1], q[2]];
    };
    const seen = [];
    for (let i = 0; i < room.vertices.length / 3; ++i) seen.push(place(corner(i)));

    const depth = f => seen[f[0]][2] + seen[f[1]][2] + seen[f[2]][2];
    pen.globalAlpha = 0.16;
    for (const face of [...room.faces].sort((f, g) => depth(g) - depth(f))) {
      pen.fillStyle = room.materials[face[3]].colour;
      pen.beginPath();
      for (const k of [0, 1, 2]) pen.lineTo(seen[face[k]][0], seen[face[k]][1]);
      pen.fill();
    }
    pen.globalAlpha = 0.75;
    pen.lineWidth = 1;
    for (const [a, b, material] of room.edges) {
      pen.strokeStyle = material < 0 ? ink : room.materials[material].colour;
      pen.beginPath();
      pen.moveTo(seen[a][0], seen[a][1]);
      pen.lineTo(seen[b][0], seen[b][1]);
      pen.stroke();
    }
    pen.globalAlpha = 1;
    pen.font = '12px system-ui, sans-serif';
    for (const [points, colour, round] of [[room.sources, '#d55e00', true], [room.receivers, '#0072b2', false]])
      for (const point of points) {
        const [x, y] = place(point.position);
        pen.fillStyle = pen.strokeStyle = colour;
        if (point.direction) {
          const length = Math.hypot(...point.direction);
          const [u, v] = place(point.position.map((p, d) => p + 0.25 * radius * point.direction[d] / length));
          pen.lineWidth = 2;
          pen.beginPath();
          pen.moveTo(x, y);
          pen.lineTo(u, v);
          pen.stroke();
        }
        pen.beginPath();
        if (round) pen.arc(x, y, 5, 0, 7);
        else { pen.moveTo(x, y - 6); pen.lineTo(x + 6, y + 5); pen.lineTo(x - 6, y + 5); }
        pen.fill();
        pen.fillStyle = ink;
        if (points.length <= 24) pen.fillText(point.name, x + 8, y - 6);
      }
    for (const name of ['turn', 'tilt', 'zoom']) slider(name).value = view[name];
  }

  function move(turn, tilt) {
    view.turn = (view.turn + turn + 540) % 360 - 180;
    view.tilt = Math.max(-90, Math.min(90, view.tilt + tilt));
    draw();
  }
  for (const name of ['turn', 'tilt', 'zoom'])
    slider(name).addEventListener('input', event => { view[name] = Number(event.target.value); draw(); });
  let held = null;
  canvas.addEventListener('pointerdown', event => {
    held = [event.clientX, event.clientY];
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener('pointermove', event => {
    if (!held) return;
    move(0.5 * (event.clientX - held[0]), 0.5 * (event.clientY - held[1]));
    held = [event.clientX, event.clientY];
  });
  for (const end of ['pointerup', 'pointercancel']) canvas.addEventListener(end, () => { held = null; });
  canvas.addEventListener('keydown', event => {
    const step = { ArrowLeft: [-5, 0], ArrowRight: [5, 0], ArrowUp: [0, -5], ArrowDown: [0, 5] }[event.key];
    if (!step) return;
    event.preventDefault();
    move(...step);
  });
  new ResizeObserver(draw).observe(canvas);
  for (const query of ['(prefers-color-scheme: dark)', 'print'])
    window.matchMedia(query).addEventListener('change', draw);
  // Collapsed details are printed as well.
  window.addEventListener('beforeprint', () => {
    for (const part of document.querySelectorAll('details')) part.open = true;
  });
})();

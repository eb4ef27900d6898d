// The room of #room-data, drawn by three.js on the canvas #room and rotated by pointer, keys or the sliders beside it.
// three.js is in the page, compressed. Where a browser lacks WebGL or DecompressionStream, the plan of the room is opened.
(() => {
  'use strict';
  // Collapsed details are printed as well.
  window.addEventListener('beforeprint', () => {
    for (const part of document.querySelectorAll('details')) part.open = true;
  });
  const packed = document.getElementById('three-js');
  if (!packed) return;
  const canvas = document.getElementById('room'), names = document.getElementById('room-names');
  const slider = name => document.getElementById('room-' + name);
  const view = { turn: -35, tilt: 25, zoom: 1 };

  async function unpack() {
    const bytes = Uint8Array.from(atob(packed.textContent), c => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
    const script = document.createElement('script');
    script.textContent = await new Response(stream).text();
    document.head.append(script);
    packed.remove();
  }

  function show() {
    const THREE = window.THREE, room = JSON.parse(document.getElementById('room-data').textContent);
    const corner = i => room.vertices.slice(3 * i, 3 * i + 3);
    const middle = new THREE.Vector3(...[0, 1, 2].map(d => (room.low[d] + room.high[d]) / 2));
    const radius = Math.hypot(...[0, 1, 2].map(d => room.high[d] - room.low[d])) / 2 || 1;
    const scene = new THREE.Scene(), camera = new THREE.OrthographicCamera(-1, 1, 1, -1, 0, 8 * radius);
    const renderer = new THREE.WebGLRenderer({ canvas, alpha: true, antialias: true, preserveDrawingBuffer: true });
    const geometry = points => {
      const made = new THREE.BufferGeometry();
      made.setAttribute('position', new THREE.BufferAttribute(new Float32Array(points.flat()), 3));
      return made;
    };
    const lines = (points, colour) => {
      const drawn = new THREE.LineSegments(geometry(points), new THREE.LineBasicMaterial({ color: colour }));
      scene.add(drawn);
      return drawn;
    };
    room.materials.forEach((material, m) => {
      const of = list => list.filter(one => one[one.length - 1] === m);
      const look = { color: material.colour, transparent: true, opacity: 0.2, side: THREE.DoubleSide, depthWrite: false };
      const faces = of(room.faces).flatMap(face => face.slice(0, 3).map(corner));
      if (faces.length) scene.add(new THREE.Mesh(geometry(faces), new THREE.MeshBasicMaterial(look)));
      const edges = of(room.edges).flatMap(edge => edge.slice(0, 2).map(corner));
      if (edges.length) lines(edges, material.colour);
    });
    const between = lines(room.edges.filter(edge => edge[2] < 0).flatMap(edge => edge.slice(0, 2).map(corner)), '#888');

    const marks = [];
    const mark = (point, colour, shape, named) => {
      const body = new THREE.Mesh(shape, new THREE.MeshBasicMaterial({ color: colour }));
      body.position.set(...point.position);
      scene.add(body);
      if (point.direction) {
        const length = Math.hypot(...point.direction);
        lines([point.position, point.position.map((p, d) => p + 0.25 * radius * point.direction[d] / length)], colour);
      }
      const name = document.createElement('span');
      name.textContent = named ? point.name : '';
      names.append(name);
      marks.push({ body, name });
    };
    for (const point of room.sources) mark(point, '#d55e00', new THREE.SphereGeometry(1, 16, 12), room.sources.length <= 24);
    for (const point of room.receivers) mark(point, '#0072b2', new THREE.OctahedronGeometry(1.2), room.receivers.length <= 24);

    const draw = () => {
      const box = canvas.getBoundingClientRect();
      if (!box.width || !box.height) return;
      const scale = view.zoom * 0.5 * Math.min(box.width / radius, box.height / (0.8 * radius));
      const t = view.turn * Math.PI / 180, s = view.tilt * Math.PI / 180;
      const away = new THREE.Vector3(Math.cos(s) * Math.sin(t), Math.cos(s) * Math.cos(t), -Math.sin(s));
      camera.up.set(Math.sin(s) * Math.sin(t), Math.sin(s) * Math.cos(t), Math.cos(s));
      camera.position.copy(middle).addScaledVector(away, -4 * radius);
      camera.lookAt(middle);
      camera.right = box.width / (2 * scale), camera.left = -camera.right;
      camera.top = box.height / (2 * scale), camera.bottom = -camera.top;
      camera.updateProjectionMatrix();
      camera.updateMatrixWorld();
      between.material.color.set(getComputedStyle(document.documentElement).getPropertyValue('--ink').trim());
      for (const { body, name } of marks) {
        body.scale.setScalar(6 / scale);
        const at = body.position.clone().project(camera);
        name.style.transform = `translate(${(at.x + 1) * box.width / 2 + 8}px, ${(1 - at.y) * box.height / 2 - 18}px)`;
      }
      renderer.setPixelRatio(window.devicePixelRatio || 1);
      renderer.setSize(box.width, box.height, false);
      renderer.render(scene, camera);
      for (const name of ['turn', 'tilt', 'zoom']) slider(name).value = view[name];
    };
    const move = (turn, tilt) => {
      view.turn = (view.turn + turn + 540) % 360 - 180;
      view.tilt = Math.max(-90, Math.min(90, view.tilt + tilt));
      draw();
    };
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
      const zoom = { '+': 1.2, '-': 1 / 1.2 }[event.key];
      if (!step && !zoom) return;
      event.preventDefault();
      if (zoom) view.zoom = Math.max(0.5, Math.min(8, view.zoom * zoom));
      move(...(step || [0, 0]));
    });
    new ResizeObserver(draw).observe(canvas);
    for (const query of ['(prefers-color-scheme: dark)', 'print'])
      window.matchMedia(query).addEventListener('change', draw);
    draw();
    canvas.dataset.drawn = 'three.js r' + THREE.REVISION;
  }

  unpack().then(show).catch(error => {
    document.getElementById('room-view').hidden = true;
    document.getElementById('room-without').hidden = false;
    document.getElementById('room-plan').open = true;
    canvas.dataset.missing = String(error);
  });
})();

// A drawing context that writes down as SVG what is drawn on it. Chart.js draws a chart on it as on
// any canvas, so the file holds the very chart of the page, with its text as text. It takes what the
// charts here use of the interface of a canvas; the rest goes to the real context behind it.

/** A number with at most two decimals: a hundredth of a pixel is nothing on paper. */
const coordinate = (value) => String(Math.round(value * 100) / 100);

/** An attribute pair for a colour as a context tells it: "#rrggbb" or "rgba(r, g, b, a)". */
function paint(name, color) {
  const parts = /^rgba\((\d+), (\d+), (\d+), ([\d.]+)\)$/.exec(color);
  if (!parts) return { [name]: color };
  const [r, g, b] = parts.slice(1, 4).map((part) => Number(part).toString(16).padStart(2, "0"));
  return { [name]: `#${r}${g}${b}`, [`${name}-opacity`]: parts[4] };
}

class SvgRecorder {
  #real;
  #path = "";
  #clips = 0;
  #state = { clip: null };
  #kept = [];
  #made = [];

  constructor(real) { this.#real = real; }

  /** Forgets what was drawn before. */
  restart() { this.#made = []; this.#clips = 0; }

  /** The drawing as the text of an SVG file. */
  svg({ width, height, label }) {
    const root = element("svg", { xmlns: "http://www.w3.org/2000/svg", width, height,
                                  viewBox: `0 0 ${width} ${height}` });
    root.append(vector("title", {}, label), vector("rect", { width, height, fill: "#ffffff" }),
                ...this.#made);
    return new XMLSerializer().serializeToString(root);
  }

  /** The context to draw on. */
  context() {
    const real = this.#real;
    const own = this;
    return new Proxy(real, {
      get(_, name) {
        if (typeof own[name] === "function") return own[name].bind(own);
        const found = real[name];
        return typeof found === "function" ? found.bind(real) : found;
      },
      set(_, name, value) { real[name] = value; return true; },
    });
  }

  #at(x, y) {
    const point = this.#real.getTransform().transformPoint({ x, y });
    return `${coordinate(point.x)} ${coordinate(point.y)}`;
  }

  #add(name, attributes, ...children) {
    if (this.#state.clip) attributes["clip-path"] = `url(#${this.#state.clip})`;
    this.#made.push(vector(name, attributes, ...children));
  }

  save() { this.#kept.push({ ...this.#state }); this.#real.save(); }

  restore() { this.#state = this.#kept.pop() ?? this.#state; this.#real.restore(); }

  beginPath() { this.#path = ""; this.#real.beginPath(); }

  closePath() { if (this.#path) this.#path += "Z"; }

  moveTo(x, y) { this.#path += `M${this.#at(x, y)}`; }

  lineTo(x, y) { this.#path += `${this.#path ? "L" : "M"}${this.#at(x, y)}`; }

  bezierCurveTo(a, b, c, d, x, y) {
    this.#path += `C${this.#at(a, b)} ${this.#at(c, d)} ${this.#at(x, y)}`;
  }

  quadraticCurveTo(a, b, x, y) { this.#path += `Q${this.#at(a, b)} ${this.#at(x, y)}`; }

  rect(x, y, w, h) {
    this.moveTo(x, y);
    [[x + w, y], [x + w, y + h], [x, y + h]].forEach((corner) => this.lineTo(...corner));
    this.#path += "Z";
  }

  /** In halves, for an arc that ends where it begins says nothing in SVG. */
  arc(x, y, radius, from, to, backward = false) {
    const span = Math.min(Math.abs(to - from), 2 * Math.PI) * (backward ? -1 : 1);
    const on = (angle) => [x + radius * Math.cos(angle), y + radius * Math.sin(angle)];
    const arc_to = (angle) => `A${coordinate(radius)} ${coordinate(radius)} 0 0 `
      + `${backward ? 0 : 1} ${this.#at(...on(angle))}`;
    this.lineTo(...on(from));
    this.#path += arc_to(from + span / 2) + arc_to(from + span);
  }

  clip() {
    const id = `clip${++this.#clips}`;
    this.#made.push(vector("clipPath", { id }, vector("path", { d: this.#path })));
    this.#state.clip = id;
  }

  fill() {
    if (this.#path) this.#add("path", { d: this.#path, ...paint("fill", this.#real.fillStyle) });
  }

  stroke() {
    if (!this.#path || this.#real.lineWidth === 0) return;
    this.#add("path", { d: this.#path, fill: "none", ...paint("stroke", this.#real.strokeStyle),
                        "stroke-width": coordinate(this.#real.lineWidth),
                        "stroke-dasharray": this.#real.getLineDash().join(" ") || null });
  }

  fillRect(x, y, w, h) {
    const before = this.#path;
    this.#path = "";
    this.rect(x, y, w, h);
    this.fill();
    this.#path = before;
  }

  fillText(text, x, y) {
    const real = this.#real;
    const { a, b, c, d, e, f } = real.getTransform();
    const turned = b !== 0 && `matrix(${[a, b, c, d, e, f].map(coordinate).join(" ")})`;
    const [left, top] = turned ? [coordinate(x), coordinate(y)] : this.#at(x, y).split(" ");
    const [, size, family] = /([\d.]+)px (.*)$/.exec(real.font);
    this.#add("text", {
      x: left, y: top, transform: turned || null, ...paint("fill", real.fillStyle),
      "font-family": family.replaceAll('"', "'"), "font-size": size,
      "font-weight": /\b(bold|[6-9]00)\b/.test(real.font) ? "bold" : null,
      "text-anchor": { center: "middle", right: "end", end: "end" }[real.textAlign] ?? null,
      "dominant-baseline": { middle: "central", top: "text-before-edge",
                             hanging: "hanging", bottom: "text-after-edge",
      }[real.textBaseline] ?? null,
    }, text);
  }
}

/** element() for SVG, whatever the tag. */
function vector(tag, attributes, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (known(value)) made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

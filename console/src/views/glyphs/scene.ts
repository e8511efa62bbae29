// The dots of the map, drawn by WebGL: thousands in one call, placed and enlarged where they are drawn.
import { scaleOf, type Camera, type Frame } from "./camera";

/** What a dot is: its place on the plane, how wide it is in pixels, whether it is square, whether it is chosen. */
export type Dot = { x: number; y: number; wide: number; square: boolean; chosen: boolean };
type Colour = readonly [number, number, number];

const VERTEX = `#version 300 es
uniform vec2 middle;
uniform vec2 scale;
uniform float ratio;
in vec4 dot;
out float square;
out float wide;
out float among;
void main() {
  vec2 at = (dot.xy - middle) * scale;
  gl_Position = vec4(at.x, -at.y, 0.0, 1.0);
  wide = dot.z * ratio;
  gl_PointSize = wide + 2.0;
  among = step(1.5, dot.w);
  square = dot.w - 2.0 * among;
}`;

const FRAGMENT = `#version 300 es
precision highp float;
uniform vec3 plain;
uniform vec3 mixed;
in float square;
in float wide;
in float among;
out vec4 colour;
void main() {
  vec2 away = abs(gl_PointCoord - 0.5) * (wide + 2.0);
  float far = square > 0.5 ? max(away.x, away.y) : length(away);
  float cover = clamp(wide * 0.5 + 0.5 - far, 0.0, 1.0) * mix(0.16, 0.85, among);
  colour = vec4(mix(plain, mixed, square) * cover, cover);
}`;

export class Scene {
  private count = 0;
  private constructor(
    private readonly gl: WebGL2RenderingContext,
    private readonly program: WebGLProgram,
  ) {}

  /** A scene on a canvas; null where the browser has no WebGL 2. */
  static on(canvas: HTMLCanvasElement): Scene | null {
    const gl = canvas.getContext("webgl2", { antialias: false, depth: false });
    const program = gl && linked(gl);
    if (!gl || !program) return null;
    const place = gl.getAttribLocation(program, "dot");
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.enableVertexAttribArray(place);
    gl.vertexAttribPointer(place, 4, gl.FLOAT, false, 0, 0);
    // What lies in front hides as much as it covers.
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    gl.useProgram(program);
    return new Scene(gl, program);
  }

  /** The dots to draw, the last in front. */
  place(dots: Dot[]): void {
    const laid = new Float32Array(dots.length * 4);
    dots.forEach((one, place) => laid.set([one.x, one.y, one.wide, (one.square ? 1 : 0) + (one.chosen ? 2 : 0)], place * 4));
    this.gl.bufferData(this.gl.ARRAY_BUFFER, laid, this.gl.STATIC_DRAW);
    this.count = dots.length;
  }

  draw(camera: Camera, frame: Frame, plain: Colour, mixed: Colour): void {
    const { gl, program } = this;
    const scale = scaleOf(camera, frame);
    const at = (name: string) => gl.getUniformLocation(program, name);
    gl.viewport(0, 0, gl.drawingBufferWidth, gl.drawingBufferHeight);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
    gl.uniform2f(at("middle"), camera.x, camera.y);
    gl.uniform2f(at("scale"), (2 * scale) / frame.width, (2 * scale) / frame.height);
    gl.uniform1f(at("ratio"), gl.drawingBufferWidth / frame.width);
    gl.uniform3f(at("plain"), ...plain);
    gl.uniform3f(at("mixed"), ...mixed);
    gl.drawArrays(gl.POINTS, 0, this.count);
  }
}

function linked(gl: WebGL2RenderingContext): WebGLProgram | null {
  const program = gl.createProgram();
  for (const [kind, source] of [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, FRAGMENT]] as const) {
    const shader = gl.createShader(kind);
    if (!shader) return null;
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  return gl.getProgramParameter(program, gl.LINK_STATUS) ? program : null;
}

/** A colour as the browser tells it, `rgb(0, 95, 150)`, in shares. */
export function colourIn(told: string): Colour {
  const [red = 0, green = 0, blue = 0] = (told.match(/[\d.]+/g) ?? []).map((one) => Number(one) / 255);
  return [red, green, blue];
}

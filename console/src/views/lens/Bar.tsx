// The budget as a bar of what it was spent on, and the same as a table.
import { ABOUT, spanOf, spent, type Context, type Span } from "./budget";

const WIDTH = 1000;
const HEIGHT = 40;

type Piece = { id: string; span: Span; tokens: number; told: string };

function piecesOf(context: Context): Piece[] {
  const parts = spent(context);
  const found: Piece[] = [];
  for (const { span, tokens } of parts) {
    let left = tokens;
    for (const item of context.items) {
      if (spanOf(item) !== span) continue;
      found.push({ id: item.record.id, span, tokens: item.tokens, told: `${item.tokens} tokens: ${item.record.text}` });
      left -= item.tokens;
    }
    if (left > 0) found.push({ id: "", span, tokens: left, told: `${left} tokens: ${span}, ${ABOUT[span]}` });
  }
  return found;
}

export function Bar({ context, name, lit, light }: {
  context: Context;
  name: string;
  lit: string;
  light: (id: string) => void;
}) {
  const { token_budget } = context.receipt;
  let x = 0;
  return (
    <figure className="budget">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={`The budget of ${name}: the table below says the same`}>
        <defs>
          <pattern id={`${name}-slant`} width="8" height="8" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
            <rect width="8" height="8" className="parafovea" />
            <rect width="2" height="8" className="ink" />
          </pattern>
          <pattern id={`${name}-dots`} width="8" height="8" patternUnits="userSpaceOnUse">
            <rect width="8" height="8" className="periphery" />
            <circle cx="4" cy="4" r="1.6" className="ink" />
          </pattern>
        </defs>
        {piecesOf(context).map((piece, place) => {
          const width = (piece.tokens / token_budget) * WIDTH;
          const from = x;
          x += width;
          const fill = piece.span === "parafovea" ? `url(#${name}-slant)` : piece.span === "periphery" ? `url(#${name}-dots)` : undefined;
          return (
            <rect
              key={place}
              x={from}
              width={Math.max(0, width - (piece.span === "free" ? 0 : 1.5))}
              height={HEIGHT}
              fill={fill}
              className={`piece ${piece.span} ${piece.id && piece.id === lit ? "lit" : ""}`}
              onMouseEnter={() => light(piece.id)}
              onMouseLeave={() => light("")}
              onClick={() => piece.id && document.getElementById(`${name}-${piece.id}`)?.scrollIntoView({ block: "nearest" })}
            >
              <title>{piece.told}</title>
            </rect>
          );
        })}
      </svg>
      <div className="table-wrap">
      <table>
        <caption className="visually-hidden">What the budget of {name} is spent on</caption>
        <thead>
          <tr>
            <th scope="col">Part</th>
            <th scope="col" className="number">Tokens</th>
            <th scope="col" className="number">Share</th>
            <th scope="col" className="number">Items</th>
          </tr>
        </thead>
        <tbody>
          {spent(context).filter((one) => one.tokens > 0).map((one) => (
            <tr key={one.span}>
              <th scope="row">
                <span className={`swatch ${one.span}`} aria-hidden="true" /> {one.span} <span className="about">{ABOUT[one.span]}</span>
              </th>
              <td className="number">{one.tokens.toLocaleString()}</td>
              <td className="number">{Math.round((100 * one.tokens) / token_budget)} %</td>
              <td className="number">{one.count || ""}</td>
            </tr>
          ))}
        </tbody>
      </table>
      </div>
    </figure>
  );
}

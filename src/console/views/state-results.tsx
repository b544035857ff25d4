/** The results of a state run on one minion, with differences of files as differences. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { diffLines, RESULT_ORDER, splitChanges, type RowResult, type StateRow } from '../model/state-run.ts';
import { sizeOf } from '../model/value-rows.ts';
import { duration } from '../model/time.ts';
import { Result } from '../parts/outcome.tsx';
import { ValueView } from '../parts/value-tree.tsx';

const ROWS_SHOWN = 300;
const DIFF_LINES = 400;

/** The results. @param props.value the whole return, to be looked at as it is */
export function StateResults({
  rows,
  errors,
  value,
}: {
  rows: readonly StateRow[];
  errors: readonly string[];
  value?: unknown;
}): JSX.Element {
  const [only, setOnly] = useState<RowResult | undefined>(undefined);
  const [isRaw, setRaw] = useState(false);
  const shown = rows.filter(({ result }) => only === undefined || result === only);
  return (
    <div class="state-results">
      <div class="row">
        <div class="switch" role="group" aria-label="Result">
          <button type="button" aria-pressed={only === undefined} onClick={() => setOnly(undefined)}>
            All {rows.length}
          </button>
          {RESULT_ORDER.map((result) => {
            const count = rows.filter((row) => row.result === result).length;
            return count === 0 ? null : (
              <button
                type="button"
                key={result}
                aria-pressed={only === result}
                onClick={() => setOnly(result)}
              >
                {count} {result}
              </button>
            );
          })}
        </div>
        {value === undefined ? null : (
          <button type="button" aria-pressed={isRaw} onClick={() => setRaw(!isRaw)}>
            As data
          </button>
        )}
      </div>
      {errors.map((error) => (
        <pre class="problem" key={error}>
          {error.slice(0, 8000)}
        </pre>
      ))}
      {isRaw ? (
        <ValueView value={value} label="the return" />
      ) : (
        <ul class="state-list">
          {shown.slice(0, ROWS_SHOWN).map((row) => (
            <StateItem key={`${row.order} ${row.sls} ${row.id} ${row.fun} ${row.name}`} row={row} />
          ))}
        </ul>
      )}
      {shown.length > ROWS_SHOWN && !isRaw ? (
        <p class="faint">{shown.length - ROWS_SHOWN} more; choose a result above to see fewer.</p>
      ) : null}
    </div>
  );
}

function StateItem({ row }: { row: StateRow }): JSX.Element {
  const isQuiet = row.result === 'ok';
  const [isOpen, setOpen] = useState(!isQuiet);
  return (
    <li class={`state-item ${row.result === 'would change' ? 'would' : row.result}`}>
      <button type="button" class="state-head" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Result result={row.result} />
        <span class="strong break">{row.id}</span>
        <span class="mono faint">{row.fun}</span>
        <span class="spacer" />
        {row.seconds === undefined ? null : <span class="faint">{duration(row.seconds)}</span>}
      </button>
      {isOpen ? <StateBody row={row} /> : null}
    </li>
  );
}

/** Comment and changes of one state. */
export function StateBody({ row }: { row: StateRow }): JSX.Element {
  const { diffs, rest } = splitChanges(row.changes);
  return (
    <div class="state-body">
      {row.name === row.id ? null : <p class="mono faint break">{row.name}</p>}
      <p class="comment">{row.comment.slice(0, 20_000)}</p>
      {diffs.map(({ name, text }) => (
        <Diff key={name} name={name} text={text} />
      ))}
      {sizeOf(rest) > 0 ? <ValueView value={rest} label="the changes" /> : null}
    </div>
  );
}

function Diff({ name, text }: { name: string; text: string }): JSX.Element {
  const [most, setMost] = useState(DIFF_LINES);
  const { lines, isCut } = diffLines(text, most);
  return (
    <figure class="diff">
      {name === 'diff' ? null : <figcaption class="mono">{name.slice(0, 500)}</figcaption>}
      <pre tabIndex={0} aria-label="Difference">
        {lines.map(({ kind, text: line }, at) => (
          <span class={`diff-line ${kind}`} key={at}>
            {line.slice(0, 2000)}
            {'\n'}
          </span>
        ))}
      </pre>
      {isCut ? (
        <button type="button" class="more" onClick={() => setMost(most * 4)}>
          … more lines
        </button>
      ) : null}
    </figure>
  );
}

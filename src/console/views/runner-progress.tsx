/** A runner that was started here: what it says meanwhile, and what it returns. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { summary } from '../model/value-rows.ts';
import { Problem } from '../parts/problem.tsx';
import { ValueView } from '../parts/value-tree.tsx';
import { useApp } from '../state/app.ts';

const LINES_MOST = 200;

/** Follows it to its end. */
export function RunnerProgress({ jid }: { jid: string }): JSX.Element {
  const app = useApp();
  const [lines, setLines] = useState<readonly string[]>([]);
  const [end, setEnd] = useState<{ readonly return: unknown; readonly success: boolean } | undefined>(
    undefined,
  );
  const [error, setError] = useState<Error | undefined>(undefined);
  useEffect(
    () =>
      app.server.followRunner(jid, {
        event: (name, data) => {
          if (name === 'end') setEnd(data as { return: unknown; success: boolean });
          else if (name === 'progress')
            setLines((before) => [...before.slice(-LINES_MOST), summary(data, 400)]);
        },
        refused: setError,
      }),
    [jid],
  );
  return (
    <section aria-label="Result" aria-busy={end === undefined}>
      <h2 aria-live="polite">{end === undefined ? 'Running…' : end.success ? 'Returned' : 'Failed'}</h2>
      <Problem error={error} />
      {lines.length > 0 ? (
        <pre class="progress" tabIndex={0}>
          {lines.join('\n')}
        </pre>
      ) : null}
      {end === undefined ? null : <ValueView value={end.return} label="the result" />}
    </section>
  );
}

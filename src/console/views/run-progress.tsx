/** A batch or a canary: how far it is, and the jobs that it has started. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Run } from '../model/contract.ts';
import { linkTo } from '../model/route.ts';
import { OutcomeBar, OutcomeCounts } from '../parts/outcome.tsx';
import { Problem, messageOf } from '../parts/problem.tsx';
import { useApp } from '../state/app.ts';
import type { ViewProps } from './view-props.ts';

/** The view. */
export function RunProgressView({ id = '' }: ViewProps): JSX.Element {
  const app = useApp();
  const [run, setRun] = useState<Run | undefined>(undefined);
  const [error, setError] = useState<Error | undefined>(undefined);
  useEffect(() => {
    // an answer that was asked for before the stream said something newer is not shown
    let nth = 0;
    const load = (): void => {
      const asked = ++nth;
      app.server.run(id).then((loaded) => asked === nth && setRun(loaded), setError);
    };
    load();
    return app.server.followRun(id, {
      event: (name, data) => {
        if (name === 'gap') return load();
        if (name !== 'run' && name !== 'end') return;
        nth++;
        setRun(data as Run);
      },
      opened: (isAgain) => {
        if (isAgain) load();
      },
      refused: setError,
    });
  }, [id]);
  const stop = (): void => {
    app.server.stopRun(id).then(
      () => app.notices.done('No further minions are told. Those that were told already go on.'),
      (problem: unknown) => app.notices.error(messageOf(problem)),
    );
  };
  return (
    <div class="view">
      <div class="view-head">
        <h1>Batch {run?.state === 'running' ? 'is running' : (run?.state ?? '')}</h1>
        <span class="spacer" />
        {run?.state === 'running' && app.session.can('runs.stop') ? (
          <button type="button" onClick={stop}>
            Tell no further minions
          </button>
        ) : null}
      </div>
      <Problem error={error} />
      {run === undefined ? null : (
        <>
          {run.stopped_because === null ? null : <p class="problem">{run.stopped_because}</p>}
          <OutcomeBar counts={run.counts} />
          <p aria-live="polite">
            <OutcomeCounts counts={run.counts} />{' '}
            <span class="faint">{run.waiting.length.toLocaleString('en')} not told yet</span>
          </p>
          <h2>Jobs</h2>
          <ul class="plain">
            {run.jids.map((jid) => (
              <li key={jid}>
                <a class="mono" href={linkTo('jobs', jid)}>
                  {jid}
                </a>
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

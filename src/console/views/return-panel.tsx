/** What one minion has returned, beside the list. */
import type { JSX } from 'preact';
import type { SameReturn } from '../model/job-record.ts';
import { linkTo } from '../model/route.ts';
import { readStateReturn } from '../model/state-run.ts';
import { isoMs, dateTime, duration } from '../model/time.ts';
import { Icon } from '../parts/icon.tsx';
import { Outcome } from '../parts/outcome.tsx';
import { Problem } from '../parts/problem.tsx';
import { ValueView } from '../parts/value-tree.tsx';
import type { JobWatch } from '../state/job-watch.ts';
import { useLoaded } from '../state/loading.ts';
import { StateResults } from './state-results.tsx';

/** The panel. @param props.others minions that returned the same */
export function ReturnPanel(props: {
  watch: JobWatch;
  minion: string;
  isState: boolean;
  others?: SameReturn;
  onClose: () => void;
}): JSX.Element {
  const { watch, minion, others } = props;
  const row = watch.view.value.rows.get(minion);
  const isThere = row?.line !== undefined;
  const loaded = useLoaded(isThere ? async () => ({ value: await watch.valueOf(minion) }) : undefined, [
    minion,
    isThere,
    row?.isTrimmed,
  ]);
  const value = loaded.data?.value;
  const states = props.isState && loaded.data !== undefined ? readStateReturn(value) : undefined;
  const returnedMs = isoMs(row?.returned);
  return (
    <section class="panel" aria-label={`Return of ${minion}`}>
      <div class="panel-head">
        <h2 class="break">
          {others === undefined || others.count < 2 ? minion : `${others.count.toLocaleString('en')} minions`}
        </h2>
        <button type="button" class="quiet" aria-label="Close" onClick={props.onClose}>
          <Icon name="close" />
        </button>
      </div>
      {others !== undefined && others.count > 1 ? (
        <p class="faint break">
          {others.minions.join(', ')}
          {others.count > others.minions.length
            ? ` and ${(others.count - others.minions.length).toLocaleString('en')} more`
            : ''}
        </p>
      ) : row === undefined ? null : (
        <p class="facts">
          <Outcome became={row} />
          {row.retcode === null ? null : <span>code {row.retcode}</span>}
          {row.seconds === null ? null : <span>{duration(row.seconds)}</span>}
          {returnedMs === undefined ? null : <span>{dateTime(returnedMs)}</span>}
          <a href={linkTo('minions', minion)}>Minion</a>
        </p>
      )}
      {row?.reason === null || row?.reason === undefined ? null : <p class="break">{row.reason}</p>}
      <Problem error={loaded.error} onRetry={loaded.reload} />
      {!isThere ? (
        <p class="faint">
          Nothing was returned{row?.outcome === 'still running' || row?.outcome === 'published' ? ' yet' : ''}
          .
        </p>
      ) : null}
      {isThere && loaded.isLoading && loaded.data === undefined ? <p class="faint">Loading…</p> : null}
      {loaded.data === undefined ? null : states !== undefined ? (
        <StateResults rows={states.rows} errors={states.errors} value={value} />
      ) : (
        <ValueView value={value} label="the return" />
      )}
    </section>
  );
}

/** The history of jobs, from the job cache. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Job } from '../model/contract.ts';
import { after } from '../model/clock.ts';
import { textOf } from '../model/live-jobs.ts';
import { linkTo } from '../model/route.ts';
import { writeArguments } from '../model/words.ts';
import { DataGrid, type Column } from '../parts/data-grid.tsx';
import { OutcomeBar, OutcomeCounts } from '../parts/outcome.tsx';
import { Problem, Stale } from '../parts/problem.tsx';
import { Ago } from '../parts/time.tsx';
import { useApp } from '../state/app.ts';
import { useList, useRested } from '../state/loading.ts';
import { useNews } from '../state/news.ts';
import type { ViewProps } from './view-props.ts';

const REST_MS = 300;
const PAGE = '200';

const COLUMNS: readonly Column<Job>[] = [
  { name: 'When', width: '12ch', cell: ({ start_time: at }) => <Ago at={at} /> },
  {
    name: 'Function',
    width: 'minmax(16ch, 2fr)',
    cell: ({ jid, fun, arg, kwarg }) => (
      <a class="mono" href={linkTo('jobs', jid)}>
        {`${fun} ${writeArguments(arg, kwarg)}`.slice(0, 200)}
      </a>
    ),
  },
  {
    name: 'Target',
    width: 'minmax(8ch, 1fr)',
    wideOnly: true,
    cell: ({ tgt }) => <span class="mono">{textOf(tgt).slice(0, 200)}</span>,
  },
  { name: 'User', width: 'minmax(8ch, 0.6fr)', wideOnly: true, cell: ({ user }) => user },
  { name: 'Outcome', width: '9ch', wideOnly: true, cell: ({ counts }) => <OutcomeBar counts={counts} /> },
  { name: 'Minions', width: 'minmax(12ch, 1.4fr)', cell: ({ counts }) => <OutcomeCounts counts={counts} /> },
];

/** The table, for whatever view asks for jobs. @param props.query fields of the list */
export function JobTable({
  query,
  label,
}: {
  query: Readonly<Record<string, string | undefined>>;
  label: string;
}): JSX.Element {
  const app = useApp();
  const list = useList(
    (cursor, signal) => app.server.jobs({ ...query, limit: PAGE, cursor }, signal),
    [JSON.stringify(query)],
    useNews('jobs'),
  );
  // a job that runs goes on between two looks at the list
  const live = new Map(app.feed.jobs.value.map(({ jid, counts }) => [jid, counts]));
  const items = list.items.map((job) => ({ ...job, counts: live.get(job.jid) ?? job.counts }));
  return (
    <>
      <Problem error={list.error} onRetry={list.reload} />
      <Stale list={list} />
      <DataGrid
        label={label}
        items={items}
        columns={COLUMNS}
        keyOf={({ jid }) => jid}
        onOpen={({ jid }) => app.places.go(linkTo('jobs', jid))}
        onEnd={list.more}
        isBusy={list.isLoading}
        empty="No job matches. The job cache keeps jobs for as long as keep_jobs_seconds says."
      />
    </>
  );
}

/** The view. */
export function JobsView({ query }: ViewProps): JSX.Element {
  const app = useApp();
  const [fields, setFields] = useState({
    fun: query.get('fun') ?? '',
    target: query.get('target') ?? '',
    user: query.get('user') ?? '',
    minion: query.get('minion') ?? '',
    outcome: query.get('outcome') ?? '',
    since: query.get('since') ?? '',
  });
  const rested = useRested(fields, REST_MS, after);
  const set = (name: keyof typeof fields, value: string): void => {
    const next = { ...fields, [name]: value };
    setFields(next);
    app.places.replace(linkTo('jobs', undefined, next));
  };
  const text = (
    name: 'fun' | 'target' | 'user' | 'minion',
    label: string,
    placeholder: string,
  ): JSX.Element => (
    <label class="field">
      <span>{label}</span>
      <input
        type="text"
        class="mono"
        autoComplete="off"
        spellcheck={false}
        placeholder={placeholder}
        value={fields[name]}
        onInput={(event) => set(name, event.currentTarget.value)}
      />
    </label>
  );
  return (
    <div class="view fill">
      <div class="view-head">
        <h1>Jobs</h1>
      </div>
      <div class="fields filters">
        {text('fun', 'Function', 'state.*')}
        {text('target', 'Target', 'web*')}
        {text('minion', 'Minion', 'its id')}
        {text('user', 'User', 'alice')}
        <label class="field">
          <span>Outcome</span>
          <select value={fields.outcome} onChange={(event) => set('outcome', event.currentTarget.value)}>
            <option value="">any</option>
            {[
              'failed',
              'connection lost',
              'no response',
              'never received',
              'returned late',
              'still running',
              'key not accepted',
              'refused',
            ].map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        <label class="field">
          <span>Since</span>
          <input
            type="date"
            value={fields.since}
            onInput={(event) => set('since', event.currentTarget.value)}
          />
        </label>
      </div>
      <JobTable
        label="Jobs, the newest first"
        query={{
          ...rested,
          fun: anywhere(rested.fun),
          target: anywhere(rested.target),
          since: rested.since === '' ? '' : `${rested.since}T00:00:00Z`,
        }}
      />
    </div>
  );
}

/** A word without a wildcard is looked for at the beginning. */
function anywhere(text: string): string {
  const plain = text.trim();
  return plain === '' || /[*?[]/.test(plain) ? plain : `${plain}*`;
}

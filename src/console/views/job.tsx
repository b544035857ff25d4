/** One job: every minion's outcome as it arrives, what they returned, and who returned the same. */
import type { JSX } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { JobDetail } from '../model/contract.ts';
import { countOf, KIND_NAMES, KIND_ORDER, kindOf, type OutcomeKind } from '../model/outcomes.ts';
import { linkTo } from '../model/route.ts';
import { boxedTarget, shellTarget } from '../model/targets.ts';
import { dateTime, duration, isoMs } from '../model/time.ts';
import { writeArguments } from '../model/words.ts';
import { DataGrid, type Column } from '../parts/data-grid.tsx';
import { Confirm } from '../parts/dialog.tsx';
import { Outcome, OutcomeBar, OutcomeCounts } from '../parts/outcome.tsx';
import { Problem } from '../parts/problem.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { Ago, Since } from '../parts/time.tsx';
import { useApp } from '../state/app.ts';
import { JobWatch, type JobRow, type SameReturn } from '../state/job-watch.ts';
import { ReturnPanel } from './return-panel.tsx';
import { StateGroups } from './state-groups.tsx';
import type { ViewProps } from './view-props.ts';

/** The view. */
export function JobView({ id = '', query }: ViewProps): JSX.Element {
  const app = useApp();
  const watch = useMemo(() => new JobWatch(app.server, id), [id]);
  useEffect(() => () => watch.close(), [watch]);
  void watch.version.value;
  const [tab, setTab] = useState<string | undefined>(query.get('tab'));
  const { job, counts } = watch;
  const hasStates = watch.states.size > 0 || watch.stateErrors.size > 0;
  const shown = tab ?? (hasStates ? 'states' : 'minions');
  return (
    <div class="view job">
      {job === undefined ? <h1>Job {id}</h1> : <Head watch={watch} job={job} />}
      <Problem error={watch.error.value} />
      {watch.isLive.value || watch.isDone ? null : (
        <p class="warn-text" role="status">
          The stream of this job is lost; it goes on by itself.
        </p>
      )}
      {counts === undefined ? null : (
        <div class="job-counts" aria-live="polite">
          <OutcomeBar counts={counts} />
          <OutcomeCounts counts={counts} />
        </div>
      )}
      {job === undefined ? null : (
        <Tabs
          label="Parts of the job"
          open={shown}
          onOpen={setTab}
          tabs={[
            ...(hasStates ? [{ key: 'states', name: `States ${watch.states.size}` }] : []),
            { key: 'minions', name: `Minions ${watch.rows.size.toLocaleString('en')}` },
            { key: 'same', name: `Same returns ${watch.same.size.toLocaleString('en')}` },
            ...(watch.progress.length > 0 ? [{ key: 'progress', name: 'Progress' }] : []),
          ]}
        >
          {shown === 'states' ? <StateGroups groups={watch.states} errors={watch.stateErrors} /> : null}
          {shown === 'minions' ? (
            <Minions watch={watch} isState={hasStates} kind={query.get('outcome')} />
          ) : null}
          {shown === 'same' ? <SameReturns watch={watch} /> : null}
          {shown === 'progress' ? (
            <ul class="plain">
              {watch.progress.map(({ minion, text }, at) => (
                <li key={at}>
                  <span class="mono">{minion}</span> {text}
                </li>
              ))}
            </ul>
          ) : null}
        </Tabs>
      )}
    </div>
  );
}

/** Whoever shows what a job is at reads its version: a part that reads another signal is not drawn again with what is around it. */
function Head({ watch, job }: { watch: JobWatch; job: JobDetail }): JSX.Element {
  void watch.version.value;
  const startMs = isoMs(job.start_time);
  return (
    <>
      <div class="view-head">
        <h1 class="mono break">
          {job.fun} {writeArguments(job.arg, job.kwarg).slice(0, 300)}
        </h1>
        {job.test ? <span class="tag">test mode</span> : null}
        <span class="spacer" />
        <JobActions watch={watch} job={job} />
      </div>
      <p class="facts">
        <span class="mono">{shellTarget(boxedTarget(job.tgt, job.tgt_type)).slice(0, 300)}</span>
        <span>by {job.user}</span>
        <span title={startMs === undefined ? '' : dateTime(startMs)}>
          <Ago at={job.start_time} />
        </span>
        {watch.isDone ? (
          <span>done</span>
        ) : startMs === undefined ? null : (
          <span>
            running for <Since startMs={startMs} />
          </span>
        )}
        <span class="mono faint">{job.jid}</span>
      </p>
    </>
  );
}

/** The fields of the form that runs a job once more. */
function callOf(job: JobDetail, isTest: boolean): Record<string, string | undefined> {
  const { text: tgt, kind } = boxedTarget(job.tgt, job.tgt_type);
  const kwarg = Object.fromEntries(Object.entries(job.kwarg).filter(([name]) => name !== 'test'));
  const arg = writeArguments(job.arg, kwarg);
  return { fun: job.fun, tgt, tgt_type: kind, arg, test: isTest ? 'true' : undefined };
}

function JobActions({ watch, job }: { watch: JobWatch; job: JobDetail }): JSX.Element {
  const app = useApp();
  void watch.version.value;
  const [asked, setAsked] = useState<'term' | 'kill' | undefined>(undefined);
  const failed = [...watch.rows.values()].filter(
    ({ outcome }) => kindOf(outcome) === 'failed' || kindOf(outcome) === 'silent',
  );
  const onFailed = {
    ...callOf(job, job.test),
    tgt: failed
      .slice(0, 1000)
      .map(({ minion }) => minion)
      .join(','),
    tgt_type: 'list',
  };
  return (
    <>
      {watch.isDone || !app.session.can('jobs.term') ? null : (
        <>
          <button type="button" onClick={() => setAsked('term')}>
            Terminate
          </button>
          <button type="button" onClick={() => setAsked('kill')}>
            Kill
          </button>
        </>
      )}
      {app.session.can('jobs.start') ? (
        <>
          {job.test && watch.isDone ? (
            <a class="button primary" href={linkTo('run', undefined, callOf(job, false))}>
              Run without test mode…
            </a>
          ) : null}
          {failed.length > 0 && watch.isDone ? (
            <a class="button" href={linkTo('run', undefined, onFailed)}>
              Run on those that failed
            </a>
          ) : null}
          <a class="button" href={linkTo('run', undefined, callOf(job, job.test))}>
            Run again
          </a>
        </>
      ) : null}
      {asked === undefined ? null : (
        <Confirm
          title={asked === 'kill' ? 'Kill this job?' : 'Terminate this job?'}
          action={asked === 'kill' ? 'Kill' : 'Terminate'}
          isDangerous
          onClose={() => setAsked(undefined)}
          onDo={async () => {
            await app.server.endJob(job.jid, asked);
            app.notices.done('The minions were told.');
          }}
        >
          <p>
            {asked === 'kill'
              ? 'The processes of this job are killed on all its minions (SIGKILL). What they were doing is left half done.'
              : 'The processes of this job are asked to end on all its minions (SIGTERM).'}
          </p>
        </Confirm>
      )}
    </>
  );
}

const COLUMNS: readonly Column<JobRow>[] = [
  {
    name: 'Minion',
    width: 'minmax(14ch, 1.2fr)',
    cell: ({ minion }) => <a href={linkTo('minions', minion)}>{minion}</a>,
  },
  { name: 'Outcome', width: '17ch', cell: ({ outcome }) => <Outcome outcome={outcome} /> },
  {
    name: 'Return',
    width: 'minmax(10ch, 3fr)',
    cell: ({ line, reason }) => <span class="mono">{line ?? <span class="faint">{reason ?? ''}</span>}</span>,
  },
  {
    name: 'Code',
    width: '6ch',
    align: 'end',
    wideOnly: true,
    cell: ({ retcode }) => (retcode === null ? '' : retcode),
  },
  {
    name: 'Took',
    width: '10ch',
    align: 'end',
    wideOnly: true,
    cell: ({ seconds }) => (seconds === null ? '' : duration(seconds)),
  },
];

function Minions({
  watch,
  isState,
  kind,
}: {
  watch: JobWatch;
  isState: boolean;
  kind: string | undefined;
}): JSX.Element {
  void watch.version.value;
  const [only, setOnly] = useState<OutcomeKind | undefined>(KIND_ORDER.find((each) => each === kind));
  const [search, setSearch] = useState('');
  const [open, setOpen] = useState<string | undefined>(undefined);
  const wanted = search.trim().toLowerCase();
  const rows = [...watch.rows.values()].filter(
    ({ outcome, minion, line }) =>
      (only === undefined || kindOf(outcome) === only) &&
      (wanted === '' ||
        minion.toLowerCase().includes(wanted) ||
        line?.toLowerCase().includes(wanted) === true),
  );
  const rank = (row: JobRow): number => KIND_ORDER.indexOf(kindOf(row.outcome));
  rows.sort((a, b) => rank(a) - rank(b) || (a.minion < b.minion ? -1 : 1));
  return (
    <div class={open === undefined ? 'split' : 'split is-open'}>
      <div class="split-list">
        <div class="row">
          <input
            type="search"
            class="grow"
            aria-label="Search minions and returns"
            placeholder="Search minions and returns"
            value={search}
            onInput={(event) => setSearch(event.currentTarget.value)}
          />
          <div class="switch" role="group" aria-label="Outcome">
            <button type="button" aria-pressed={only === undefined} onClick={() => setOnly(undefined)}>
              All
            </button>
            {KIND_ORDER.filter((each) => watch.counts !== undefined && countOf(watch.counts, each) > 0).map(
              (each) => (
                <button type="button" key={each} aria-pressed={only === each} onClick={() => setOnly(each)}>
                  {KIND_NAMES[each]}
                </button>
              ),
            )}
          </div>
        </div>
        <DataGrid
          label="Minions of the job"
          items={rows}
          columns={COLUMNS}
          keyOf={({ minion }) => minion}
          onOpen={({ minion }) => setOpen(minion)}
          openKey={open ?? ''}
          empty={watch.rows.size === 0 ? 'The target reaches no minion.' : 'No minion matches.'}
        />
      </div>
      {open === undefined ? null : (
        <ReturnPanel
          key={open}
          watch={watch}
          minion={open}
          isState={isState}
          onClose={() => setOpen(undefined)}
        />
      )}
    </div>
  );
}

function SameReturns({ watch }: { watch: JobWatch }): JSX.Element {
  void watch.version.value;
  const [open, setOpen] = useState<SameReturn | undefined>(undefined);
  const groups = [...watch.same.values()].sort((a, b) => b.minions.length - a.minions.length);
  const columns: readonly Column<SameReturn>[] = [
    {
      name: 'Minions',
      width: '10ch',
      align: 'end',
      cell: ({ minions }) => minions.length.toLocaleString('en'),
    },
    { name: 'Return', width: 'minmax(20ch, 2fr)', cell: ({ line }) => <span class="mono">{line}</span> },
    {
      name: 'Who',
      width: 'minmax(10ch, 1fr)',
      wideOnly: true,
      cell: ({ minions }) => <span class="faint">{minions.slice(0, 20).join(', ')}</span>,
    },
  ];
  const first = open?.minions[0];
  return (
    <div class={open === undefined ? 'split' : 'split is-open'}>
      <div class="split-list">
        <DataGrid
          label="Returns that are the same, the most frequent first"
          items={groups}
          columns={columns}
          keyOf={({ minions }) => minions[0] ?? ''}
          onOpen={setOpen}
          openKey={first ?? ''}
          empty="Nothing has been returned yet."
        />
      </div>
      {first === undefined || open === undefined ? null : (
        <ReturnPanel
          key={first}
          watch={watch}
          minion={first}
          isState={false}
          others={open.minions}
          onClose={() => setOpen(undefined)}
        />
      )}
    </div>
  );
}

/** One job: every minion's outcome as it arrives, what they returned, and who returned the same. */
import type { JSX } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { JobDetail } from '../model/contract.ts';
import type { JobRow, JobSnapshot, SameReturn } from '../model/job-record.ts';
import { KIND_NAMES, KIND_ORDER, kindOf, type OutcomeGroup } from '../model/outcomes.ts';
import { minions } from '../model/questions.ts';
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
import { JobWatch } from '../state/job-watch.ts';
import { useJobNews } from '../state/news.ts';
import { ReturnPanel } from './return-panel.tsx';
import { StateGroups } from './state-groups.tsx';
import type { ViewProps } from './view-props.ts';

/** The view. */
export function JobView({ id = '', query }: ViewProps): JSX.Element {
  const app = useApp();
  const watch = useMemo(() => new JobWatch(app.server, id), [id]);
  useEffect(() => () => watch.close(), [watch]);
  const view = watch.view.value;
  const [tab, setTab] = useState<string | undefined>(query.get('tab'));
  const { job, counts } = view;
  const hasStates = view.states.length > 0 || view.stateErrors.size > 0;
  const shown = tab ?? (hasStates ? 'states' : 'minions');
  return (
    <div class="view job">
      {job === undefined ? <h1>Job {id}</h1> : <Head view={view} job={job} />}
      <Problem error={watch.error.value} />
      {view.isDone && counts !== undefined && counts.silent > 0 ? <LateReturns watch={watch} /> : null}
      {watch.isLive.value || view.isDone ? null : (
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
            ...(hasStates ? [{ key: 'states', name: `States ${view.states.length}` }] : []),
            { key: 'minions', name: `Minions ${view.rows.size.toLocaleString('en')}` },
            { key: 'same', name: `Same returns ${view.same.length.toLocaleString('en')}` },
            ...(view.progress.length > 0 ? [{ key: 'progress', name: 'Progress' }] : []),
          ]}
        >
          {shown === 'states' ? (
            <StateGroups groups={view.states} minionCount={view.stateMinions} errors={view.stateErrors} />
          ) : null}
          {shown === 'minions' ? (
            <Minions watch={watch} view={view} isState={hasStates} kind={query.get('outcome')} />
          ) : null}
          {shown === 'same' ? <SameReturns watch={watch} same={view.same} /> : null}
          {shown === 'progress' ? (
            <ul class="plain">
              {view.progress.map(({ minion, text }, at) => (
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

function Head({ view, job }: { view: JobSnapshot; job: JobDetail }): JSX.Element {
  const startMs = isoMs(job.start_time);
  return (
    <>
      <div class="view-head">
        <h1 class="mono break">
          {job.fun} {writeArguments(job.arg, job.kwarg).slice(0, 300)}
        </h1>
        {job.test ? <span class="tag">test mode</span> : null}
        <span class="spacer" />
        <JobActions view={view} job={job} />
      </div>
      <p class="facts">
        <span class="mono">{shellTarget(boxedTarget(job.tgt, job.tgt_type)).slice(0, 300)}</span>
        <span>by {job.user}</span>
        <span title={startMs === undefined ? '' : dateTime(startMs)}>
          <Ago at={job.start_time} />
        </span>
        {view.isDone ? (
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

/** Has a job that is over looked at again when one of its silent minions returns; shows nothing. */
function LateReturns({ watch }: { watch: JobWatch }): null {
  const news = useJobNews(watch.jid);
  useEffect(() => {
    if (news > 0) void watch.lookAgain();
  }, [news]);
  return null;
}

/** The fields of the form that runs a job once more. */
function callOf(job: JobDetail, isTest: boolean): Record<string, string | undefined> {
  const { text: tgt, kind } = boxedTarget(job.tgt, job.tgt_type);
  const kwarg = Object.fromEntries(Object.entries(job.kwarg).filter(([name]) => name !== 'test'));
  const arg = writeArguments(job.arg, kwarg);
  return { fun: job.fun, tgt, tgt_type: kind, arg, test: isTest ? 'true' : undefined };
}

function JobActions({ view, job }: { view: JobSnapshot; job: JobDetail }): JSX.Element {
  const app = useApp();
  const [asked, setAsked] = useState<'term' | 'kill' | undefined>(undefined);
  const failed = [...view.rows.values()].filter(
    (row) => kindOf(row) === 'failed' || kindOf(row) === 'silent',
  );
  const running = view.counts?.running ?? 0;
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
      {view.isDone || !app.session.can('jobs.term') ? null : (
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
          {job.test && view.isDone ? (
            <a class="button primary" href={linkTo('run', undefined, callOf(job, false))}>
              Run without test mode…
            </a>
          ) : null}
          {failed.length > 0 && view.isDone ? (
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
          title={`${asked === 'kill' ? 'Kill' : 'Terminate'} ${job.fun} on ${minions(running)}?`}
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
              ? `The processes of this job are killed (SIGKILL) on ${minions(running)} where it still runs. What they were doing is left half done.`
              : `The processes of this job are asked to end (SIGTERM) on ${minions(running)} where it still runs.`}
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
  { name: 'Outcome', width: '17ch', cell: (row) => <Outcome became={row} /> },
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
  view,
  isState,
  kind,
}: {
  watch: JobWatch;
  view: JobSnapshot;
  isState: boolean;
  kind: string | undefined;
}): JSX.Element {
  const [only, setOnly] = useState<OutcomeGroup | undefined>(KIND_ORDER.find((each) => each === kind));
  const [search, setSearch] = useState('');
  const [open, setOpen] = useState<string | undefined>(undefined);
  const kinds = { ok: 0, failed: 0, running: 0, silent: 0 };
  for (const row of view.rows.values()) kinds[kindOf(row)]++;
  const wanted = search.trim().toLowerCase();
  const rows = [...view.rows.values()].filter(
    (row) =>
      (only === undefined || kindOf(row) === only) &&
      (wanted === '' ||
        row.minion.toLowerCase().includes(wanted) ||
        row.line?.toLowerCase().includes(wanted) === true),
  );
  const rank = (row: JobRow): number => KIND_ORDER.indexOf(kindOf(row));
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
              All {view.rows.size.toLocaleString('en')}
            </button>
            {KIND_ORDER.filter((each) => kinds[each] > 0 || only === each).map((each) => (
              <button type="button" key={each} aria-pressed={only === each} onClick={() => setOnly(each)}>
                {kinds[each].toLocaleString('en')} {KIND_NAMES[each]}
              </button>
            ))}
          </div>
        </div>
        <DataGrid
          label="Minions of the job"
          items={rows}
          columns={COLUMNS}
          keyOf={({ minion }) => minion}
          onOpen={({ minion }) => setOpen(minion)}
          openKey={open ?? ''}
          empty={view.rows.size === 0 ? 'The target reaches no minion.' : 'No minion matches.'}
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

const SAME_COLUMNS: readonly Column<SameReturn>[] = [
  { name: 'Minions', width: '10ch', align: 'end', cell: ({ count }) => count.toLocaleString('en') },
  { name: 'Return', width: 'minmax(20ch, 2fr)', cell: ({ line }) => <span class="mono">{line}</span> },
  {
    name: 'Who',
    width: 'minmax(10ch, 1fr)',
    wideOnly: true,
    cell: ({ minions }) => <span class="faint">{minions.slice(0, 20).join(', ')}</span>,
  },
];

function SameReturns({ watch, same }: { watch: JobWatch; same: readonly SameReturn[] }): JSX.Element {
  const [openKey, setOpen] = useState<string | undefined>(undefined);
  const open = same.find(({ key }) => key === openKey);
  const first = open?.minions[0];
  return (
    <div class={open === undefined ? 'split' : 'split is-open'}>
      <div class="split-list">
        <DataGrid
          label="Returns that are the same, the most frequent first"
          items={same}
          columns={SAME_COLUMNS}
          keyOf={({ key }) => key}
          onOpen={({ key }) => setOpen(key)}
          openKey={openKey ?? ''}
          empty="Nothing has been returned yet."
        />
      </div>
      {first === undefined || open === undefined ? null : (
        <ReturnPanel
          key={open.key}
          watch={watch}
          minion={first}
          isState={false}
          others={open}
          onClose={() => setOpen(undefined)}
        />
      )}
    </div>
  );
}

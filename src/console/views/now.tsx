/** What is going on: jobs that run with those who are still at it, events as they come, minions that went away. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { every } from '../model/clock.ts';
import { globFilter } from '../model/glob.ts';
import type { LiveJob } from '../model/live-jobs.ts';
import { linkTo } from '../model/route.ts';
import { clockTime } from '../model/time.ts';
import { boxedTarget, shellTarget } from '../model/targets.ts';
import { writeArguments } from '../model/words.ts';
import { DataGrid, type Column } from '../parts/data-grid.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Icon } from '../parts/icon.tsx';
import { OutcomeBar, OutcomeCounts } from '../parts/outcome.tsx';
import { Ago, Since } from '../parts/time.tsx';
import { useApp, type App } from '../state/app.ts';
import type { KeptEvent } from '../state/feed.ts';
import { useLoaded } from '../state/loading.ts';
import { DoctorLine } from './doctor-line.tsx';
import { PendingLine } from './pending-keys.tsx';

const RUNNING_MOST = '50';
const ENDED_SHOWN = 12;
const POLL_MS = 4000;

/** The view. */
export function NowView(): JSX.Element {
  const app = useApp();
  useRunningJobs(app);
  const jobs = app.feed.jobs.value;
  const running = jobs.filter(({ isDone }) => !isDone);
  const ended = jobs.filter(({ isDone }) => isDone).slice(0, ENDED_SHOWN);
  return (
    <div class="view now">
      <div class="view-head">
        <h1>Now</h1>
        <DoctorLine />
        <PendingLine />
      </div>
      <div class="now-columns">
        <section aria-labelledby="running">
          <h2 id="running">
            Running <span class="badge">{running.length}</span>
          </h2>
          {running.length === 0 ? <p class="faint">No job is running.</p> : null}
          <ul class="job-cards">
            {running.map((job) => (
              <RunningJob key={job.jid} job={job} />
            ))}
          </ul>
          <h2>Ended</h2>
          {ended.length === 0 ? (
            <p class="faint">
              No job has ended yet. <a href={linkTo('jobs')}>All jobs</a>
            </p>
          ) : null}
          <ul class="job-lines">
            {ended.map((job) => (
              <EndedJob key={job.jid} job={job} />
            ))}
          </ul>
        </section>
        <div class="now-side">
          <Movements />
          <Events />
        </div>
      </div>
    </div>
  );
}

/** Jobs that ran before anybody listened; without the right to events they are asked for again and again. */
function useRunningJobs(app: App): void {
  const [tick, setTick] = useState(0);
  const isPolled = app.feed.state.value === 'refused';
  useEffect(() => (isPolled ? every(POLL_MS, () => setTick((n) => n + 1)) : undefined), [isPolled]);
  const { data } = useLoaded(
    async (signal) => {
      const [running, latest] = await Promise.all([
        app.server.jobs({ state: 'running', limit: RUNNING_MOST }, signal),
        app.server.jobs({ limit: String(ENDED_SHOWN) }, signal),
      ]);
      const ended = latest.items.filter(({ state }) => state === 'done').map((job) => ({ job, minions: [] }));
      const details = running.items.map(async (job) => ({
        job,
        minions: (await app.server.job(job.jid)).minions,
      }));
      return [...ended, ...(await Promise.all(details))];
    },
    [tick, app.feed.gaps.value],
  );
  useEffect(() => app.feed.add(data ?? []), [data]);
}

function callOf(job: LiveJob): string {
  return `${job.fun} ${writeArguments(job.arg, job.kwarg)}`.trim().slice(0, 200);
}

function RunningJob({ job }: { job: LiveJob }): JSX.Element {
  const { tail } = job;
  return (
    <li class="job-card">
      <div class="job-card-head">
        <a class="mono strong" href={linkTo('jobs', job.jid)}>
          {callOf(job)}
        </a>
        <Since startMs={job.startMs} />
      </div>
      <div class="faint">
        <span class="mono">{shellTarget(boxedTarget(job.tgt, job.tgtType))}</span> · {job.user}
      </div>
      <OutcomeBar counts={job.counts} />
      <div class="job-card-foot">
        <OutcomeCounts counts={job.counts} />
      </div>
      {tail.length > 0 && job.counts.running < job.counts.expected ? (
        <div class="tail">
          <span class="faint">Still at it:</span>
          {tail.map((minion) => (
            <a class="chip" key={minion} href={linkTo('minions', minion)}>
              {minion}
            </a>
          ))}
          {job.counts.running > tail.length ? (
            <span class="faint">and {(job.counts.running - tail.length).toLocaleString('en')} more</span>
          ) : null}
        </div>
      ) : null}
    </li>
  );
}

function EndedJob({ job }: { job: LiveJob }): JSX.Element {
  return (
    <li>
      <a class="mono" href={linkTo('jobs', job.jid)}>
        {callOf(job)}
      </a>
      <OutcomeCounts counts={job.counts} />
      <span class="faint">
        <Ago at={job.lastMs} />
      </span>
    </li>
  );
}

function Movements(): JSX.Element {
  const app = useApp();
  const gone = app.feed.movements.value;
  return (
    <section aria-labelledby="movements">
      <h2 id="movements">Came and went</h2>
      {gone.length === 0 ? <p class="faint">No minion has come or gone since this page was opened.</p> : null}
      <ul class="movements">
        {gone.slice(0, 40).map(({ minion, kind, why, timeMs }) => (
          <li key={`${minion} ${timeMs} ${kind}`}>
            <span class={`outcome ${kind === 'went' ? 'silent' : 'ok'}`}>
              <Icon name={kind === 'went' ? 'away' : 'check'} />
              {kind === 'went' ? 'went' : 'came'}
            </span>
            <a href={linkTo('minions', minion)}>{minion}</a>
            <span class="faint why">{why}</span>
            <span class="faint">{clockTime(timeMs)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

const EVENT_COLUMNS: readonly Column<KeptEvent>[] = [
  { name: 'Time', width: '9ch', cell: ({ timeMs }) => <span class="faint">{clockTime(timeMs)}</span> },
  {
    name: 'Tag',
    width: 'minmax(20ch, 1fr)',
    cell: ({ tag, times, about }) => (
      <>
        <span class="mono">{tag}</span>
        {about === '' ? null : <span> {about}</span>}
        {times === 1 ? null : <span class="faint"> ×{times.toLocaleString('en')}</span>}
      </>
    ),
  },
  {
    name: 'Data',
    width: 'minmax(10ch, 1fr)',
    wideOnly: true,
    cell: ({ json }) => <span class="mono faint">{json.slice(0, 200)}</span>,
  },
];

function Events(): JSX.Element {
  const app = useApp();
  const events = app.feed.events.value;
  const [filter, setFilter] = useState('');
  const [held, setHeld] = useState<readonly KeptEvent[] | undefined>(undefined);
  const [open, setOpen] = useState<KeptEvent | undefined>(undefined);
  const matches = globFilter(filter);
  const shown = (held ?? events).filter(({ tag }) => matches(tag)).reverse();
  const isRefused = app.feed.state.value === 'refused';
  return (
    <section aria-labelledby="events" class="events">
      <div class="row">
        <h2 id="events">Events</h2>
        <input
          type="search"
          class="mono grow"
          aria-label="Show events whose tag matches"
          placeholder="salt/job/*, beacon"
          value={filter}
          onInput={(event) => setFilter(event.currentTarget.value)}
        />
        <button
          type="button"
          aria-pressed={held !== undefined}
          onClick={() => setHeld(held === undefined ? events : undefined)}
        >
          <Icon name={held === undefined ? 'pause' : 'run'} /> {held === undefined ? 'Hold' : 'Go on'}
        </button>
      </div>
      <DataGrid
        label="Events, the newest first"
        items={shown}
        columns={EVENT_COLUMNS}
        keyOf={({ nth }) => String(nth)}
        onOpen={setOpen}
        rowsMost={16}
        empty={
          isRefused
            ? 'You may not listen to the event bus. That takes the right to the runner state.event.'
            : filter === ''
              ? 'No event yet.'
              : 'No event matches.'
        }
      />
      {open === undefined ? null : (
        <Dialog title="Event" onClose={() => setOpen(undefined)} kind="wide">
          <p class="mono break">{open.tag}</p>
          <pre class="json" tabIndex={0}>
            {open.isCut
              ? `${open.json}\n… cut here: the event is longer`
              : JSON.stringify(JSON.parse(open.json), null, 2)}
          </pre>
          <div class="buttons">
            <button type="button" onClick={() => setOpen(undefined)}>
              Close
            </button>
          </div>
        </Dialog>
      )}
    </section>
  );
}
